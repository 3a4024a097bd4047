package org.weft.client.stripe;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.weft.client.stripe.base.ComponentFailure;
import org.weft.client.stripe.base.FailureListener;
import org.weft.client.stripe.base.StripeGrant;
import org.weft.client.stripe.base.StripeOptions;
import org.weft.client.stripe.base.StripedFile;
import org.weft.client.stripe.base.WriteTerms;
import org.weft.client.stripe.write.StripeWriter;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectName;
import org.weft.protocol.layout.Layout;
import org.weft.protocol.layout.StorageMap;
import org.weft.protocol.rpc.Opcode;
import org.weft.testkit.osd.FakeOsd;
import org.weft.testkit.osd.Fault;

/** Flushing writers with real threads and sockets, readers beside them, and a lost OSD. */
class FlushOverTcpTest {
  private static final int OSDS = 6;
  private static final int FILES = 4;
  private static final int STEPS = 60;
  private static final long DEADLINE_SECONDS = 50;

  private final TcpOsds cluster = new TcpOsds(OSDS);
  private final AtomicLong lastGrant = new AtomicLong(100);
  private final StripeEngine engine =
      new StripeEngine(
          cluster.environment, cluster.connections, cluster.cpu, StripeOptions.defaults());

  @AfterEach
  void stop() {
    cluster.close();
  }

  private WriteTerms terms(ObjectName name, StorageMap map) {
    long grant = Lsn.of(1, lastGrant.incrementAndGet()).value();
    return new WriteTerms(
        new StripedFile(name, map, cluster.capability(name, grant, grant)),
        new StripeGrant(grant, 3, Optional.empty()));
  }

  /** One file, written and flushed step by step, and read after each. */
  private final class Growing {
    private final ObjectName name;
    private final byte[] content = new byte[1 << 20];
    private final Random random;
    private final StripeWriter writer;
    private StorageMap map;
    private int written;

    Growing(int number) {
      name = ObjectName.of(7, 70_000 + number);
      random = new Random(number);
      random.nextBytes(content);
      map = StorageMap.of(new Layout(3, 2, 16 << 10, 3, 1), cluster.first(5));
      writer = engine.write(terms(name, map), this::regrant, FailureListener.NONE);
    }

    private synchronized StorageMap map() {
      return map;
    }

    private synchronized CompletableFuture<WriteTerms> regrant(
        WriteTerms under, List<ComponentFailure> lost, long completeUpTo) {
      TreeSet<Integer> missing = new TreeSet<>(map.missing());
      lost.forEach(each -> missing.add(each.componentIndex()));
      map =
          new StorageMap(map.layout(), map.components(), map.generation() + 1, missing, List.of());
      return CompletableFuture.completedFuture(terms(name, map));
    }

    CompletableFuture<Void> step(int left) {
      if (left == 0) {
        return writer.close().thenCompose(file -> read(false));
      }
      int count =
          Math.min(content.length - written, random.nextInt(2) * 30_000 + 1 + random.nextInt(300));
      ByteBuffer data = ByteBuffer.wrap(content, written, count);
      written += count;
      return writer
          .write(data)
          .thenCompose(nothing -> writer.flush(random.nextInt(4) == 0))
          .thenCompose(
              file -> {
                assertEquals(written, file.sizeBytes());
                return read(true);
              })
          .thenComposeAsync(nothing -> step(left - 1), cluster.cpu);
    }

    private CompletableFuture<Void> read(boolean beingWritten) {
      ByteBuffer target = ByteBuffer.allocate(written);
      StripedFile file =
          new StripedFile(
              name,
              map(),
              cluster.capability(name, Lsn.of(1, lastGrant.incrementAndGet()).value(), 0));
      return engine
          .read(file, written, beingWritten, FailureListener.NONE)
          .read(0, target)
          .handle(
              (count, thrown) -> {
                if (thrown != null && WeftException.of(thrown).code() == ErrorCode.FENCED) {
                  return read(beingWritten);
                }
                assertEquals(null, thrown);
                assertArrayEquals(Arrays.copyOf(content, written), target.array());
                return CompletableFuture.<Void>completedFuture(null);
              })
          .thenCompose(again -> again);
    }
  }

  @Test
  void filesGrowWhileConnectionsBreakAndAnOsdIsLost() throws Exception {
    AtomicInteger count = new AtomicInteger();
    FakeOsd doomed = cluster.osd(3);
    cluster
        .osd(2)
        .faults(
            opcode ->
                opcode == Opcode.WRITE && count.incrementAndGet() % 40 == 0
                    ? Fault.CUT_AFTER
                    : Fault.NONE);
    AtomicInteger writes = new AtomicInteger();
    doomed.faults(
        opcode -> {
          if (opcode == Opcode.WRITE && writes.incrementAndGet() == 120) {
            cluster.commands.execute(doomed::stop);
          }
          return Fault.NONE;
        });
    List<Growing> files = new ArrayList<>();
    List<CompletableFuture<Void>> all = new ArrayList<>();
    for (int number = 0; number < FILES; number++) {
      Growing file = new Growing(number);
      files.add(file);
      all.add(file.step(STEPS));
    }
    for (CompletableFuture<Void> one : all) {
      one.get(DEADLINE_SECONDS, TimeUnit.SECONDS);
    }
    assertTrue(files.stream().anyMatch(file -> file.map().isMissing(2)), "an OSD was lost");
  }
}
