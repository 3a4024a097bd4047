package org.weft.client.cache;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.weft.client.stripe.read.LentBuffer;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.wire.AttributesReply;
import org.weft.protocol.wire.DroppedReadGrants;
import org.weft.protocol.wire.FileAttributes;
import org.weft.protocol.wire.FileKind;
import org.weft.protocol.wire.OpenReply;
import org.weft.protocol.wire.ReadGrants;
import org.weft.protocol.wire.RenewSessionReply;
import org.weft.protocol.wire.RenewSessionRequest;
import org.weft.protocol.wire.RequestContext;
import org.weft.protocol.wire.WalkStep;

/**
 * The cache of bytes beside a manager that is a model of P 6.5b, and a file that is the truth: at
 * random the file is granted, recalled, written by others and by the client itself, and read from
 * OSDs while all that goes on. Messages overtake each other, are lost, and leases lapse. What is
 * answered from memory is what is in the file at that moment.
 */
class DataCacheModelTest {
  private static final int RUNS = 60;
  private static final int STEPS = 4_000;
  private static final long EPOCH = 3;
  private static final long ROOT = 1;
  private static final long FILE = 20;
  private static final int ALL_RIGHTS = 15;
  private static final int LEASE_MILLIS = 3_000;
  private static final int PATIENCE_MILLIS = 3_300;
  private static final int MAX_FILE_BYTES = 5 * DataCache.PAGE_BYTES / 2;

  /** Two pages and a bit. */
  private static final int MEMORY_BYTES = 36 << 10;

  private int hits;
  private int wishes;

  @Test
  void cachedBytesEqualTheBytesOfTheFile() {
    int[] kinds = new int[3];
    for (int seed = 1; seed <= RUNS; seed++) {
      Run run = new Run(seed);
      run.go();
      kinds[0] += run.writes;
      kinds[1] += run.keptTooLate;
      kinds[2] += run.lapses;
    }
    String met =
        "%d hits, %d times written, %d reads that began before that, %d leases lapsed"
            .formatted(hits, kinds[0], kinds[1], kinds[2]);
    assertTrue(hits > 1_000 && kinds[0] > 500 && kinds[1] > 50 && kinds[2] > 20, met);
    assertTrue(wishes > 20, "the grant was asked for " + wishes + " times");
  }

  /** A read from OSDs that is under way. */
  private static final class Reading {
    private final GrantedData.Fill fill;
    private final LentBuffer target;
    private final int writesBefore;
    private int done;

    Reading(GrantedData.Fill fill, int writesBefore) {
      this.fill = fill;
      this.target = fill.target();
      this.writesBefore = writesBefore;
    }
  }

  private final class Run {
    private final int seed;
    private final SplittableRandom random;
    private long nowMillis = 10_000;

    // The client.
    private final ReadCache reads;
    private final DataCache memory = new DataCache(MEMORY_BYTES);
    private final List<GrantedData> opened = new ArrayList<>();
    private final List<Reading> underWay = new ArrayList<>();

    // The manager and the OSDs.
    private final TreeSet<Long> granted = new TreeSet<>();
    private byte[] content = new byte[MAX_FILE_BYTES];
    private long changeLsn = 100;
    private long newest;
    private long recallBegunMillis = -1;
    private int bytesToWrite;
    private boolean writing;
    private int writes;
    private int keptTooLate;
    private int lapses;

    /** Messages either way, as what their arrival does. */
    private final Deque<Runnable> messages = new ArrayDeque<>();

    Run(int seed) {
      this.seed = seed;
      this.random = new SplittableRandom(seed);
      this.newest = Lsn.of(EPOCH, 0).value();
      this.reads =
          new ReadCache(
              EPOCH,
              10,
              () -> nowMillis * 1_000_000,
              new ReadCache.Openings() {
                @Override
                public void opened(OpenReply reply) {}

                @Override
                public void closed(long objectId) {}
              });
      random.nextBytes(content);
      renew();
      deliverAll();
    }

    void go() {
      for (int step = 0; step < STEPS; step++) {
        int kind = random.nextInt(100);
        if (kind < 34) {
          read();
        } else if (kind < 48) {
          readOn();
        } else if (kind < 54) {
          look();
        } else if (kind < 78) {
          deliver();
        } else if (kind < 83) {
          renew();
        } else if (kind < 88) {
          nowMillis += random.nextInt(300);
        } else if (kind < 89) {
          lapse();
        } else if (kind < 98) {
          write();
        } else {
          writeItself();
        }
        assertTrue(memory.counts().heldBytes() <= MEMORY_BYTES);
      }
    }

    private void lapse() {
      // Mostly while a recall waits for the client's answer; after a while it waits no longer.
      if (random.nextInt(recallBegunMillis < 0 ? 16 : 2) == 0) {
        nowMillis += random.nextInt(2 * LEASE_MILLIS);
        lapses += reads.isUseful() ? 0 : 1;
      }
    }

    private FileAttributes attributes() {
      return FileAttributes.newBuilder()
          .setObjectId(FILE)
          .setKind(FileKind.FILE)
          .setSize(content.length)
          .setChangeLsn(changeLsn)
          .build();
    }

    /** The client asks for attributes, and opens the file with them. */
    private void look() {
      boolean steady = !writing && recallBegunMillis < 0;
      newest = new Lsn(newest).next().value();
      ReadGrants.Builder grants =
          ReadGrants.newBuilder()
              .setNumber(newest)
              .addStep(
                  WalkStep.newBuilder()
                      .setDirectoryId(ROOT)
                      .setGranted(ALL_RIGHTS)
                      .setName("f")
                      .setObjectId(FILE)
                      .setKind(FileKind.FILE))
              .setNode(steady ? ALL_RIGHTS : 0);
      if (steady) {
        granted.add(newest);
      }
      FileAttributes told = attributes();
      AttributesReply reply =
          AttributesReply.newBuilder().setAttributes(told).setGranted(grants).build();
      send(
          () -> {
            reads.heard(reply);
            opened.add(new GrantedData(reads, memory, told, () -> wishes++));
            if (opened.size() > 4) {
              opened.remove(0);
            }
          });
    }

    private void send(Runnable arrival) {
      if (random.nextInt(12) != 0) {
        messages.add(arrival);
      }
    }

    /** Any of them, so that one overtakes the other. */
    private void deliver() {
      for (int skipped = messages.isEmpty() ? 0 : random.nextInt(messages.size() + 1) / 2;
          skipped > 0;
          skipped--) {
        messages.add(messages.remove());
      }
      if (!messages.isEmpty()) {
        messages.remove().run();
      }
    }

    private void deliverAll() {
      while (!messages.isEmpty()) {
        messages.remove().run();
      }
    }

    private void renew() {
      long sentNanos = nowMillis * 1_000_000;
      RenewSessionRequest.Builder said = RenewSessionRequest.newBuilder();
      reads.addTo(said);
      RenewSessionRequest request = said.build();
      send(
          () -> {
            for (DroppedReadGrants each : request.getDroppedList()) {
              if (each.getObjectId() == FILE) {
                granted.headSet(each.getNumber(), true).clear();
              }
            }
            if (request.getDroppedAll() != 0) {
              granted.headSet(request.getDroppedAll(), true).clear();
            }
            RenewSessionReply.Builder reply =
                RenewSessionReply.newBuilder()
                    .setEpoch(EPOCH)
                    .setReadLeaseMillis(LEASE_MILLIS)
                    .setReadNumber(newest);
            if (recallBegunMillis >= 0) {
              reply.addRecalledObject(FILE);
            }
            RenewSessionReply answer = reply.build();
            send(() -> reads.renewed(request, sentNanos, answer));
          });
    }

    /** Another client wants to write, or does. */
    private void write() {
      if (writing) {
        change();
        return;
      }
      if (recallBegunMillis < 0 && random.nextInt(10) != 0) {
        return;
      }
      if (recallBegunMillis < 0) {
        recallBegunMillis = nowMillis;
        long number = newest;
        send(() -> reads.recalled(List.of(FILE), number));
      }
      if (nowMillis - recallBegunMillis >= PATIENCE_MILLIS) {
        granted.clear();
      }
      if (granted.isEmpty()) {
        beginToWrite();
      }
    }

    /** The client itself opens the file for writing, and says that it has dropped its grant. */
    private void writeItself() {
      if (writing || recallBegunMillis >= 0 || random.nextInt(4) != 0) {
        return;
      }
      RequestContext.Builder request = RequestContext.newBuilder();
      reads.dropFor(List.of("f"), List.of(), request);
      for (DroppedReadGrants each : request.getDroppedList()) {
        if (each.getObjectId() == FILE) {
          granted.headSet(each.getNumber(), true).clear();
        }
      }
      if (granted.isEmpty()) {
        beginToWrite();
        change();
      }
    }

    private void beginToWrite() {
      recallBegunMillis = -1;
      writing = true;
      bytesToWrite = 1 + random.nextInt(3);
      writes++;
    }

    /** In place, or a cut, or an append; the file is closed after a few. */
    private void change() {
      if (random.nextInt(4) == 0) {
        byte[] resized = Arrays.copyOf(content, 1 + random.nextInt(MAX_FILE_BYTES));
        content = resized;
      }
      int from = random.nextInt(content.length);
      byte[] bytes = new byte[Math.min(content.length - from, 1 + random.nextInt(9_000))];
      random.nextBytes(bytes);
      System.arraycopy(bytes, 0, content, from, bytes.length);
      if (--bytesToWrite == 0) {
        writing = false;
        changeLsn++;
      }
    }

    private void read() {
      if (opened.isEmpty()) {
        return;
      }
      GrantedData file = opened.get(random.nextInt(opened.size()));
      long position = random.nextInt(3) * random.nextInt(MAX_FILE_BYTES / 2) / 512 * 512;
      int wanted = 1 + random.nextInt(2) * random.nextInt(20_000) + random.nextInt(3_000);
      byte[] bytes = new byte[wanted];
      int count = file.read(position, new LentBuffer(ByteBuffer.wrap(bytes)));
      if (count == GrantedData.UNKNOWN) {
        file.begin(position, wanted, position)
            .ifPresent(fill -> underWay.add(new Reading(fill, writes)));
        return;
      }
      hits++;
      assertArrayEquals(
          Arrays.copyOfRange(content, (int) position, (int) position + count),
          Arrays.copyOf(bytes, count),
          () -> "seed " + seed + ": " + position + " is not as in the file");
    }

    /** Some more of a read comes from the OSDs. */
    private void readOn() {
      if (underWay.isEmpty()) {
        return;
      }
      Reading reading = underWay.get(random.nextInt(underWay.size()));
      int to = Math.min(reading.fill.lengthBytes(), reading.done + 1 + random.nextInt(30_000));
      for (; reading.done < to; reading.done++) {
        long at = reading.fill.fromBytes() + reading.done;
        reading.target.memory().put(reading.done, at < content.length ? content[(int) at] : 0);
      }
      if (to == reading.fill.lengthBytes()) {
        underWay.remove(reading);
        keptTooLate += reading.writesBefore == writes ? 0 : 1;
        reading.fill.arrived();
      }
    }
  }
}
