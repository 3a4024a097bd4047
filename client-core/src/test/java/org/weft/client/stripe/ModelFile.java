package org.weft.client.stripe;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalLong;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import org.weft.client.raid.ErasureCode;
import org.weft.client.stripe.base.ComponentFailure;
import org.weft.client.stripe.base.StripeOptions;
import org.weft.client.stripe.base.StripedFile;
import org.weft.client.stripe.base.WriteTerms;
import org.weft.client.stripe.read.StripeReader;
import org.weft.client.stripe.write.StripeUpdater;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ObjectName;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.layout.Layout;
import org.weft.protocol.layout.StorageMap;
import org.weft.testkit.osd.FakeOsd;

/**
 * A file that is changed through {@link StripeUpdater}, the bytes it should hold, and what its
 * manager would know of it.
 */
public final class ModelFile {
  public final StripeWorld world;
  public final Layout layout;
  public final ObjectName name;
  public StorageMap map;
  public byte[] model = new byte[0];
  public long publishedBytes;
  public int truncationNumber;
  public OptionalLong trim = OptionalLong.empty();
  public long firstSuspectGrant;
  public StripeUpdater updater;
  public final SortedSet<OsdId> down = new TreeSet<>();
  private final BeforeRegrant manager;
  private int resolving;

  /** What the file's manager does before it grants it again (P 5.5, 5.8). */
  public interface BeforeRegrant {
    /** Of a test that no OSD is lost in. */
    BeforeRegrant NONE =
        (file, number) -> {
          throw new AssertionError("only file-recovery can resolve; the test belongs there");
        };

    /**
     * One attempt.
     *
     * @param number of the grant that ended
     * @return false, or a failure: to be tried again
     */
    CompletableFuture<Boolean> attempt(ModelFile file, long number);
  }

  /** A file that is granted once. */
  public ModelFile(StripeWorld world, Layout layout) {
    this(world, layout, BeforeRegrant.NONE);
  }

  public ModelFile(StripeWorld world, Layout layout, BeforeRegrant manager) {
    this.manager = manager;
    this.world = world;
    this.layout = layout;
    StripedFile made = world.newFile(layout);
    this.name = made.name();
    this.map = made.map();
  }

  /** A world and a layout that fit each other, drawn from the seed. */
  public static ModelFile random(long seed, StripeOptions options, BeforeRegrant manager) {
    StripeWorld world = new StripeWorld(seed, 36, options);
    int k = 1 + world.random.nextInt(8);
    int m = world.random.nextInt(4);
    int unit = 4096 * List.of(1, 2, 3, 4, 16).get(world.random.nextInt(5));
    int depth = 1 + world.random.nextInt(4);
    int groups = 1 + world.random.nextInt(3);
    return new ModelFile(world, new Layout(k, m, unit, depth, groups), manager);
  }

  /** As an OPEN_FILE does; a cut that was left unfinished is finished first. */
  public void open() {
    WriteTerms terms = world.reopened(name, map, truncationNumber);
    firstSuspectGrant = terms.grant().number();
    updater = world.engine.update(terms, publishedBytes, this::regrant, world.failures::add);
    if (trim.isPresent()) {
      world.time.await(updater.finishCut(trim.getAsLong(), truncationNumber));
      trim = OptionalLong.empty();
    }
  }

  /** SysMgr knows at once which OSDs are down. */
  private CompletableFuture<WriteTerms> regrant(
      WriteTerms under, List<ComponentFailure> lost, long completeUpTo) {
    if (under.grant().number() != updater.terms().grant().number()) {
      return CompletableFuture.failedFuture(
          new WeftException(ErrorCode.GRANT_REVOKED, "the grant was given back"));
    }
    TreeSet<Integer> missing = new TreeSet<>(map.missing());
    for (ComponentFailure failure : lost) {
      boolean itself = failure.cause().code() == ErrorCode.NO_SUCH_OBJECT;
      assertFalse(itself, failure::toString);
    }
    // All that SysMgr knows of, whichever the writer has met.
    for (int component = 0; component < layout.componentCount(); component++) {
      if (down.contains(map.osdOf(component))) {
        missing.add(component);
      }
    }
    // Asked again after a resolve that did not come to its end, the map is newer already.
    if (missing.equals(under.file().map().missing())) {
      return CompletableFuture.failedFuture(
          new WeftException(ErrorCode.UNAVAILABLE, "none of them is down"));
    }
    for (int group = 0; group < layout.groups(); group++) {
      int first = group * layout.width();
      if (missing.subSet(first, first + layout.width()).size() > layout.parityUnits()) {
        return CompletableFuture.failedFuture(
            new WeftException(ErrorCode.TOO_MANY_LOST, "too many are lost"));
      }
    }
    map =
        new StorageMap(
            layout, map.components(), map.generation() + 1, missing, map.attributeOsds());
    resolving++;
    return resolved(under.grant().number(), 30)
        .whenComplete((nothing, thrown) -> resolving--)
        .thenApply(nothing -> reopenedNow());
  }

  /** The manager is at it, and every mishap that it meets lets it begin anew. */
  public boolean isBeingResolved() {
    return resolving > 0;
  }

  /** What is pending is decided on before a client is granted the file again (P 5.5, 5.8). */
  private CompletableFuture<Void> resolved(long number, int triesLeft) {
    return manager
        .attempt(this, number)
        .handle((done, thrown) -> thrown == null && done)
        .thenCompose(
            done -> {
              if (done) {
                return CompletableFuture.completedFuture(null);
              }
              // Managers try for as long as it takes.
              return triesLeft > 0
                  ? resolved(number, triesLeft - 1)
                  : CompletableFuture.failedFuture(
                      new WeftException(ErrorCode.UNAVAILABLE, "not resolved yet"));
            });
  }

  private WriteTerms reopenedNow() {
    return world.reopened(name, map, truncationNumber);
  }

  public void write(long position, byte[] bytes) {
    world.time.await(startWrite(position, bytes));
    apply(position, bytes);
  }

  public CompletableFuture<Void> startWrite(long position, byte[] bytes) {
    ByteBuffer data = ByteBuffer.allocate(bytes.length + 5).position(5).put(bytes).position(5);
    return updater.write(position, data);
  }

  public void apply(long position, byte[] bytes) {
    if (bytes.length > 0) {
      int end = (int) position + bytes.length;
      model = Arrays.copyOf(model, Math.max(model.length, end));
      System.arraycopy(bytes, 0, model, (int) position, bytes.length);
    }
  }

  /** What the manager does before a client cuts or extends. */
  public boolean journalLength(int size) {
    publish();
    boolean cuts = size < publishedBytes;
    if (cuts) {
      truncationNumber++;
      trim = OptionalLong.of(size);
    }
    publishedBytes = size;
    return cuts;
  }

  void setLength(int size) {
    if (size < model.length) {
      boolean cuts = journalLength(size);
      assertTrue(cuts);
      world.time.await(updater.cut(size, truncationNumber));
      trim = OptionalLong.empty();
    } else {
      world.time.await(updater.extend(size));
      journalLength(size);
    }
    model = Arrays.copyOf(model, size);
  }

  void punch(int position, int length) {
    world.time.await(updater.punch(position, length));
    int end = (int) Math.min(model.length, (long) position + length);
    if (position < end) {
      Arrays.fill(model, position, end, (byte) 0);
    }
  }

  /** As hflush and close do. */
  public void publish() {
    publishedBytes = updater.sizeBytes();
  }

  public void close() {
    publish();
    updater.close();
    assertEquals(model.length, publishedBytes);
  }

  /** An OSD goes away, soon, and SysMgr learns of it. */
  public void loseOsdOf(int component) {
    FakeOsd osd = world.osd(map.osdOf(component));
    world.time.after(
        random(2_000_000),
        () -> {
          osd.stop();
          down.add(osd.id());
        });
  }

  /** Some components are gone, as many as each parity group bears; the map says so. */
  public void loseForGood() {
    TreeSet<Integer> missing = new TreeSet<>(map.missing());
    for (int group = 0; group < layout.groups(); group++) {
      List<Integer> left = new ArrayList<>();
      for (int c = group * layout.width(); c < (group + 1) * layout.width(); c++) {
        if (!missing.contains(c)) {
          left.add(c);
        }
      }
      java.util.Collections.shuffle(left, world.random);
      int more = layout.parityUnits() - (layout.width() - left.size());
      missing.addAll(left.subList(0, random(more + 1)));
    }
    for (int component : missing) {
      world.osd(map.osdOf(component)).stop();
      down.add(map.osdOf(component));
    }
    map =
        new StorageMap(
            layout, map.components(), map.generation() + 1, missing, map.attributeOsds());
  }

  public int random(int bound) {
    return world.random.nextInt(bound);
  }

  /** Largest file that random operations make: a few rounds of all groups. */
  public int limit() {
    long rounds = 2L * layout.groups() * layout.groupDepth() * layout.stripeBytes();
    return (int) Math.min(rounds + layout.stripeBytes() / 2, 700_000);
  }

  /** One random change; positions favour edges of units and the end. */
  public void step() {
    switch (random(12)) {
      case 0 -> setLength(random(3) == 0 ? random(layout.unitBytes() + 1) : random(limit()));
      case 1 -> punch(position(), random(3) * layout.unitBytes() + random(limit() / 2 + 1));
      case 2 -> publish();
      case 3 -> {
        close();
        open();
      }
      default -> {
        int position = position();
        int most = random(4) == 0 ? limit() / 2 : 3 * layout.unitBytes();
        int length = Math.min(random(most + 1), limit() - position);
        write(position, world.bytes(length));
      }
    }
  }

  private int position() {
    return switch (random(4)) {
      case 0 -> random(limit());
      case 1 -> Math.min(model.length, limit());
      case 2 -> random(limit()) / layout.unitBytes() * layout.unitBytes();
      default -> random(Math.min(limit(), model.length + 1));
    };
  }

  public StripedFile readable() {
    return world.readable(name, map);
  }

  /** As managers have it read: beside a cut that is not finished as beside a writer (P 5.6). */
  public StripeReader reader(StripedFile file, long sizeBytes) {
    return world.engine.read(file, sizeBytes, trim.isPresent(), world.failures::add);
  }

  /** What is stored is the model, and every parity belongs to it. */
  public void assertStored() {
    long stripes = model.length == 0 ? 0 : layout.stripeOf(model.length - 1) + 1;
    int touched = layout.groupsTouched(model.length) * layout.width();
    byte[][] stored = new byte[layout.componentCount()][];
    for (int component = 0; component < stored.length; component++) {
      boolean exists =
          !map.isMissing(component) && world.osd(map.osdOf(component)).objects().contains(name);
      stored[component] = exists ? world.osd(map.osdOf(component)).bytes(name) : new byte[0];
      if (component < touched && !layout.isSmall(model.length) && !map.isMissing(component)) {
        assertTrue(exists, "component " + component + " has been made");
      }
    }
    long most = 0;
    for (byte[] component : stored) {
      most = Math.max(most, component.length / layout.unitBytes() + 1);
    }
    for (long stripe = 0; stripe < stripes + 2L * layout.groupDepth(); stripe++) {
      assertStripe(stripe, stored);
    }
    assertTrue(most <= stripes + 1, "nothing is left behind the end");
  }

  private void assertStripe(long stripe, byte[][] stored) {
    ByteBuffer[] data = new ByteBuffer[layout.dataUnits()];
    for (int unit = 0; unit < data.length; unit++) {
      byte[] right = modelUnit(stripe, unit);
      data[unit] = ByteBuffer.wrap(right);
      int component = layout.dataComponent(stripe, unit);
      if (!map.isMissing(component)) {
        assertArrayEquals(
            right, unitOf(stripe, stored[component]), "d_" + unit + " of stripe " + stripe);
      }
    }
    ByteBuffer[] parity = new ByteBuffer[layout.parityUnits()];
    for (int j = 0; j < parity.length; j++) {
      parity[j] = ByteBuffer.allocate(layout.unitBytes());
    }
    new ErasureCode(data.length, parity.length).encode(data, parity);
    for (int j = 0; j < parity.length; j++) {
      int component = layout.parityComponent(stripe, j);
      if (!map.isMissing(component)) {
        assertArrayEquals(
            parity[j].array(),
            unitOf(stripe, stored[component]),
            "P_" + j + " of stripe " + stripe);
      }
    }
  }

  private byte[] modelUnit(long stripe, int unit) {
    byte[] bytes = new byte[layout.unitBytes()];
    long from = stripe * layout.stripeBytes() + (long) unit * layout.unitBytes();
    int count = (int) Math.max(0, Math.min(bytes.length, model.length - from));
    if (count > 0) {
      System.arraycopy(model, (int) from, bytes, 0, count);
    }
    return bytes;
  }

  private byte[] unitOf(long stripe, byte[] component) {
    byte[] bytes = new byte[layout.unitBytes()];
    long from = layout.componentOffsetBytes(stripe);
    int count = (int) Math.max(0, Math.min(bytes.length, component.length - from));
    if (count > 0) {
      System.arraycopy(component, (int) from, bytes, 0, count);
    }
    return bytes;
  }

  /** Closes it, without faults from now on: all of it is stored, and may bear its losses. */
  public void closeAndAssertWhole() {
    world.time.pass(5_000_000_000L);
    world.endFaults();
    close();
    assertStored();
    assertReadsWithLosses();
    world.assertNothingLeaks();
  }

  /** Whatever may be lost is lost, and the file still reads as it should. */
  public void assertReadsWithLosses() {
    // An OSD that was to go is gone by then.
    world.time.pass(2_000_000);
    TreeSet<Integer> lost = new TreeSet<>(map.missing());
    for (int component = 0; component < layout.componentCount(); component++) {
      if (down.contains(map.osdOf(component))) {
        lost.add(component);
      }
    }
    for (int group = 0; group < layout.groups(); group++) {
      List<Integer> others = new ArrayList<>();
      for (int c = group * layout.width(); c < (group + 1) * layout.width(); c++) {
        others.add(c);
      }
      others.removeAll(lost);
      java.util.Collections.shuffle(others, world.random);
      int more = layout.parityUnits() - (layout.width() - others.size());
      lost.addAll(others.subList(0, Math.max(0, random(more + 1))));
    }
    StripedFile lessened = StripeWorld.missing(readable(), lost.toArray(Integer[]::new));
    if (model.length > 0) {
      assertArrayEquals(model, world.readAll(reader(lessened, model.length)), "without " + lost);
    }
  }
}
