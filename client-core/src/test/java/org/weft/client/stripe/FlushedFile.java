package org.weft.client.stripe;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.weft.client.stripe.base.StripedFile;
import org.weft.client.stripe.base.WriteTerms;
import org.weft.client.stripe.check.ParityReport;
import org.weft.client.stripe.read.StripeReader;
import org.weft.client.stripe.write.StripeWriter;
import org.weft.client.stripe.write.WrittenFile;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ObjectName;
import org.weft.protocol.layout.Layout;
import org.weft.protocol.layout.StorageMap;
import org.weft.testkit.osd.FakeOsd;

/** A file that is written in pieces, and what it must be: bytes in an array. */
public final class FlushedFile {
  public static final int UNIT_BYTES = StripeWorld.UNIT_BYTES;

  public final StripeWorld world;
  public final Layout layout;
  public final ObjectName name;
  public final Random random;
  private final byte[] content;
  public final SortedSet<Integer> unreachable = new TreeSet<>();
  private int written;
  private int flushed;
  public Regranting manager;
  public StripeWriter writer;

  /** A layout drawn at random: k 1 to 8, m 0 to 3, up to 3 groups of few stripes. */
  public static Layout layout(Random random) {
    return new Layout(
        1 + random.nextInt(8),
        random.nextInt(4),
        UNIT_BYTES,
        1 + random.nextInt(4),
        1 + random.nextInt(3));
  }

  public FlushedFile(StripeWorld world, Layout layout) {
    this.world = world;
    this.layout = layout;
    this.random = world.random;
    StripedFile file = world.newFile(layout);
    this.name = file.name();
    this.content = world.bytes((int) (14 * layout.stripeBytes()));
    this.manager = new Regranting(world, new WriteTerms(file, world.grant(file)));
    this.writer = world.engine.write(manager.terms(), manager, world.failures::add);
  }

  public StorageMap map() {
    return manager.terms().file().map();
  }

  public int flushedBytes() {
    return flushed;
  }

  boolean isFull() {
    return written == content.length;
  }

  /** Ends the writer and opens the file again behind its end, under the next grant. */
  public void reopen() {
    close();
    manager = new Regranting(world, world.nextTerms(name, map()));
    writer =
        world.time.await(
            world.engine.append(manager.terms(), flushed, manager, world.failures::add));
    assertEquals(flushed, writer.positionBytes());
  }

  public void close() {
    WrittenFile closed = world.time.await(writer.close());
    assertEquals(written, closed.sizeBytes());
    flushed = written;
    // As the manager's attribute flush would do (P 5.4).
    for (int component = 0; component < StripeWorld.META_COPIES; component++) {
      if (component < layout.componentCount() && !map().isMissing(component)) {
        FakeOsd osd = world.osd(map().osdOf(component));
        if (osd.objects().contains(name)) {
          osd.complete(name, manager.terms().grant().number(), closed.complete().seq());
        }
      }
    }
  }

  /** Lengths that matter: a few bytes, about a block, about a unit, about a stripe, several. */
  private int someLength() {
    int[] about = {1, 100, 4096, UNIT_BYTES, (int) layout.stripeBytes()};
    int length =
        random.nextInt(3) == 0
            ? random.nextInt((int) (3 * layout.stripeBytes()))
            : about[random.nextInt(about.length)] + random.nextInt(3) - 1;
    return Math.max(0, Math.min(length, content.length - written));
  }

  public CompletableFuture<Void> write() {
    int count = someLength();
    ByteBuffer data =
        random.nextBoolean() ? ByteBuffer.allocate(count) : ByteBuffer.allocateDirect(count);
    data.put(content, written, count).flip();
    written += count;
    return writer.write(data);
  }

  public CompletableFuture<WrittenFile> flush(boolean durable) {
    int upTo = written;
    return writer
        .flush(durable)
        .thenApply(
            file -> {
              assertEquals(upTo, file.sizeBytes());
              flushed = upTo;
              return file;
            });
  }

  /** Components that a reader does without beside those that are missing: at most m of a group. */
  SortedSet<Integer> someLost() {
    SortedSet<Integer> lost = new TreeSet<>();
    for (int group = 0; group < layout.groups(); group++) {
      int first = group * layout.width();
      TreeSet<Integer> gone = new TreeSet<>(map().missing().subSet(first, first + layout.width()));
      gone.addAll(unreachable.subSet(first, first + layout.width()));
      while (gone.size() < layout.parityUnits() && random.nextInt(4) > 0) {
        gone.add(first + random.nextInt(layout.width()));
      }
      lost.addAll(gone);
    }
    return lost;
  }

  /** What was flushed can be read, with and without some of its components. */
  public void assertReadable(boolean beingWritten) {
    assertContent(new TreeSet<>(), beingWritten);
    assertContent(someLost(), beingWritten);
  }

  private void assertContent(SortedSet<Integer> lost, boolean beingWritten) {
    byte[] expected = Arrays.copyOf(content, flushed);
    while (true) {
      StripedFile file = world.readable(name, map(), lost);
      StripeReader reader = world.engine.read(file, flushed, beingWritten, failure -> {});
      try {
        assertArrayEquals(expected, world.readAll(reader), "without components " + lost);
        return;
      } catch (CompletionException e) {
        // The writer went on under another grant meanwhile: a client opens the file again.
        assertEquals(ErrorCode.FENCED, WeftException.of(e).code(), e.toString());
      }
    }
  }

  /** Parity of every stripe, on the OSDs, as they are now; nothing of it is missing. */
  public void assertParity() {
    StripedFile file = world.managed(manager.terms().file());
    ParityReport report = world.time.await(world.engine.parityOf(file).verify());
    assertEquals(0, report.wrongUnits(), "wrong units of " + layout + " at " + flushed);
    assertEquals(flushed, report.eofBytes());
  }

  /** P 4.2: while it is small it is on components 0 to m, then on all of each group entered. */
  public void assertComponents() {
    long stripes = (flushed + layout.stripeBytes() - 1) / layout.stripeBytes();
    long rounds = (stripes + layout.groupDepth() - 1) / layout.groupDepth();
    int groups = (int) Math.min(layout.groups(), rounds);
    int made = groups * layout.width();
    if (layout.isSmall(flushed)) {
      made = flushed == 0 ? 0 : layout.parityUnits() + 1;
    }
    for (int component = 0; component < layout.componentCount(); component++) {
      boolean exists = world.osd(map().osdOf(component)).objects().contains(name);
      assertEquals(component < made, exists, "component " + component + " at " + flushed);
    }
  }

  public void assertDurable() {
    for (int component = 0; component < layout.componentCount(); component++) {
      FakeOsd osd = world.osd(map().osdOf(component));
      if (!map().isMissing(component) && osd.objects().contains(name)) {
        assertTrue(osd.isDurable(name), "component " + component);
      }
    }
  }

  public void assertNothingWaits() {
    assertFalse(writer.close().isCompletedExceptionally());
    world.assertNothingLeaks();
  }
}
