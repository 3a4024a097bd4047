package org.weft.client.stripe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.google.protobuf.ByteString;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.IntConsumer;
import java.util.function.IntSupplier;
import org.weft.client.osd.OsdConnections;
import org.weft.client.osd.OsdDirectory;
import org.weft.client.stripe.base.ComponentFailure;
import org.weft.client.stripe.base.FailureListener;
import org.weft.client.stripe.base.Regrants;
import org.weft.client.stripe.base.StripeContext;
import org.weft.client.stripe.base.StripeGrant;
import org.weft.client.stripe.base.StripeOptions;
import org.weft.client.stripe.base.StripedFile;
import org.weft.client.stripe.base.WriteTerms;
import org.weft.client.stripe.commit.CompletionNotifier;
import org.weft.client.stripe.commit.FileWriteService;
import org.weft.client.stripe.hedge.HedgeLimits;
import org.weft.client.stripe.read.StripeReader;
import org.weft.client.stripe.read.StripeStream;
import org.weft.client.stripe.write.StripeWriter;
import org.weft.client.stripe.write.WrittenFile;
import org.weft.protocol.capability.Capability;
import org.weft.protocol.capability.InitialAttributesSignature;
import org.weft.protocol.capability.Right;
import org.weft.protocol.capability.SignedCapability;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ClusterId;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectName;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.layout.Layout;
import org.weft.protocol.layout.StorageMap;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.seam.Environment;
import org.weft.protocol.seam.Scheduler;
import org.weft.protocol.wire.AttributePage;
import org.weft.protocol.wire.InitialAttributes;
import org.weft.testkit.osd.FakeOsd;
import org.weft.testkit.osd.Fault;
import org.weft.testkit.sim.VirtualTime;
import org.weft.testkit.sim.VirtualWire;

/** OSDs in memory, an engine, and what a manager would hand out; all from one seed. */
public final class StripeWorld {
  static final ClusterId CLUSTER = new ClusterId("0123456789abcdef0123456789abcdef");
  public static final int UNIT_BYTES = 8192;
  public static final int META_COPIES = 4;

  /** Small enough that a few hundred KiB fill windows, slices and pools. */
  public static final StripeOptions OPTIONS =
      new StripeOptions(
          512 << 10,
          32 << 10,
          4 << 20,
          1_000,
          10_000,
          500,
          1_000,
          10_000,
          256 << 10,
          64 << 10,
          3,
          5_000,
          HedgeLimits.off());

  public final Random random;
  public final VirtualTime time;
  public final VirtualWire wire;
  public final List<FakeOsd> osds = new ArrayList<>();
  public final OsdConnections connections;
  public final Environment environment;
  public final StripeEngine engine;
  public final StripeContext context;
  public final List<ComponentFailure> failures = new ArrayList<>();

  /** OSDs of the client's own host. */
  public final SortedSet<OsdId> near = new TreeSet<>();

  private final byte[] workingKey = new byte[32];
  private long lastObject = 1L << 16;
  private long lastIndex = 100;

  public StripeWorld(long seed, int osdCount) {
    this(seed, osdCount, OPTIONS);
  }

  public StripeWorld(long seed, int osdCount, StripeOptions options) {
    random = new Random(seed);
    time = new VirtualTime(seed);
    wire = new VirtualWire(time, seed);
    random.nextBytes(workingKey);
    for (int i = 1; i <= osdCount; i++) {
      Scheduler.OwnedExecutor commands = time.newPool("osd-" + i, 4, 10_000);
      osds.add(FakeOsd.start(new OsdId(i), CLUSTER, wire, commands, workingKey));
    }
    environment = new Environment(time, time, time, random, wire, () -> "boot");
    connections =
        new OsdConnections(environment, directory(), () -> Optional.of(CLUSTER), "client");
    engine = new StripeEngine(environment, connections, time.newPool("cpu", 4, 10_000), options);
    context = engine.context();
  }

  private OsdDirectory directory() {
    return new OsdDirectory() {
      @Override
      public List<Endpoint> addressesOf(OsdId osd) {
        return List.of(osd(osd).address());
      }

      @Override
      public boolean isNear(OsdId osd) {
        return near.contains(osd);
      }
    };
  }

  public FakeOsd osd(OsdId id) {
    return osds.get(id.value() - 1);
  }

  public FakeOsd osdOf(StripedFile file, int component) {
    return osd(file.map().osdOf(component));
  }

  public static Layout layout(int k, int m) {
    return new Layout(k, m, UNIT_BYTES, 7, 1);
  }

  /** OSDs drawn at random, each at most once. */
  StorageMap map(Layout layout) {
    List<OsdId> all = new ArrayList<>(osds.stream().map(FakeOsd::id).toList());
    Collections.shuffle(all, random);
    return StorageMap.of(layout, all.subList(0, layout.componentCount()));
  }

  public long nextGrant() {
    return Lsn.of(3, ++lastIndex).value();
  }

  /** A new file, with a client's capability to write, create and read it. */
  public StripedFile newFile(Layout layout) {
    return file(ObjectName.of(7, ++lastObject), map(layout), nextGrant());
  }

  /** A new file of another volume. */
  public StripedFile newFile(long volume, StorageMap map) {
    return file(ObjectName.of(volume, ++lastObject), map, nextGrant());
  }

  StripedFile file(ObjectName name, StorageMap map, long grant) {
    return new StripedFile(
        name,
        map,
        sign(
            name, Right.bits(Right.READ, Right.WRITE, Right.CREATE, Right.READ_ATTRIBUTES), grant));
  }

  /** The same file with a manager's capability. */
  public StripedFile managed(StripedFile file) {
    return new StripedFile(
        file.name(), file.map(), sign(file.name(), Right.bits(Right.values()), nextGrant()));
  }

  /** The same file with the right that a worker of a rebuild is lent. */
  public StripedFile copied(StripedFile file, int component) {
    Capability capability =
        capability(file.name(), Right.bits(Right.READ, Right.COPY), nextGrant(), 0)
            .withTarget(file.map().components().get(component).value(), 0);
    return new StripedFile(file.name(), file.map(), SignedCapability.sign(capability, workingKey));
  }

  /** The same file as {@link #managed}, with every smaller grant shut out. */
  public StripedFile fenced(StripedFile file) {
    StripedFile managed = managed(file);
    osds.forEach(osd -> osd.raiseVersion(file.name(), grantOf(managed)));
    return managed;
  }

  /** The same file, without those components. */
  public static StripedFile missing(StripedFile file, Integer... components) {
    StorageMap map = file.map();
    StorageMap lessened =
        new StorageMap(
            map.layout(),
            map.components(),
            map.generation() + 1,
            new TreeSet<>(Arrays.asList(components)),
            map.attributeOsds());
    return new StripedFile(file.name(), lessened, file.capability());
  }

  /** The same file under a new write grant on a file that exists: it shuts out older ones. */
  public WriteTerms reopened(ObjectName name, StorageMap map, int truncationNumber) {
    long grant = nextGrant();
    int rights = Right.bits(Right.READ, Right.WRITE, Right.CREATE, Right.READ_ATTRIBUTES);
    return new WriteTerms(
        new StripedFile(name, map, sign(name, rights, grant, grant)),
        new StripeGrant(grant, META_COPIES, Optional.empty(), truncationNumber));
  }

  /** The file under a grant that shuts out those below the floor alone: others write beside it. */
  public StripedFile shared(StripedFile file, long grant, long floor) {
    int rights = Right.bits(Right.READ, Right.WRITE, Right.CREATE, Right.READ_ATTRIBUTES);
    return new StripedFile(file.name(), file.map(), sign(file.name(), rights, grant, floor));
  }

  /** With the right to read it, given out now. */
  public StripedFile readable(ObjectName name, StorageMap map) {
    int rights = Right.bits(Right.READ, Right.READ_ATTRIBUTES);
    return new StripedFile(name, map, sign(name, rights, Lsn.of(3, lastIndex).value()));
  }

  private SignedCapability sign(ObjectName name, int rights, long grant) {
    return sign(name, rights, grant, 0);
  }

  private SignedCapability sign(ObjectName name, int rights, long grant, long floor) {
    return SignedCapability.sign(capability(name, rights, grant, floor), workingKey);
  }

  private Capability capability(ObjectName name, int rights, long grant, long floor) {
    return new Capability(
        name, rights, 1, grant, floor, Long.MAX_VALUE, time.nowMillis() + 3_600_000L, 9, 1, 0);
  }

  public static long grantOf(StripedFile file) {
    return ByteBuffer.wrap(file.capability().encoded().toByteArray()).getLong(24);
  }

  public StripeGrant grant(StripedFile file) {
    ByteString value = ByteString.copyFromUtf8("attributes of " + file.name());
    AttributePage page =
        AttributePage.newBuilder().setPage(0).setLsn(grantOf(file)).setValue(value).build();
    byte[] mac =
        InitialAttributesSignature.sign(
            workingKey, file.name(), 0, page.getLsn(), value.asReadOnlyByteBuffer());
    InitialAttributes initial =
        InitialAttributes.newBuilder().setPage(page).setMac(ByteString.copyFrom(mac)).build();
    return new StripeGrant(grantOf(file), META_COPIES, Optional.of(initial));
  }

  /** A grant to write a file that exists, which shuts out older ones (P 5.7). */
  public WriteTerms nextTerms(ObjectName name, StorageMap map) {
    long grant = nextGrant();
    int rights = Right.bits(Right.READ, Right.WRITE, Right.CREATE, Right.READ_ATTRIBUTES);
    StripedFile file = new StripedFile(name, map, sign(name, rights, grant, grant));
    return new WriteTerms(file, new StripeGrant(grant, META_COPIES, Optional.empty()));
  }

  /** A reader's capability as given out now, with some components left out. */
  public StripedFile readable(ObjectName name, StorageMap map, SortedSet<Integer> leftOut) {
    TreeSet<Integer> missing = new TreeSet<>(map.missing());
    missing.addAll(leftOut);
    StorageMap lessened =
        new StorageMap(
            map.layout(), map.components(), map.generation(), missing, map.attributeOsds());
    return file(name, lessened, nextGrant());
  }

  public StripeWriter writer(StripedFile file) {
    return engine.write(file, grant(file), failures::add);
  }

  public StripeReader reader(StripedFile file, long sizeBytes) {
    return engine.read(file, sizeBytes, false, failures::add);
  }

  public FileWriteService sender(
      WriteTerms terms, long sizeBytes, Regrants regrants, FailureListener listener) {
    return engine.sender(terms, sizeBytes, regrants, listener);
  }

  public CompletionNotifier completions() {
    return engine.completions();
  }

  public byte[] bytes(int length) {
    byte[] bytes = new byte[length];
    random.nextBytes(bytes);
    return bytes;
  }

  /** Writes in calls of random lengths, heap or direct, and closes. */
  public CompletableFuture<WrittenFile> write(StripeWriter writer, byte[] content) {
    return feed(writer, content, 0).thenCompose(nothing -> writer.close());
  }

  private CompletableFuture<Void> feed(StripeWriter writer, byte[] content, int from) {
    if (from == content.length) {
      return CompletableFuture.completedFuture(null);
    }
    int count = Math.min(content.length - from, 1 + random.nextInt(3 * UNIT_BYTES));
    ByteBuffer data =
        random.nextBoolean() ? ByteBuffer.allocate(count) : ByteBuffer.allocateDirect(count);
    data.put(content, from, count).flip();
    return writer.write(data).thenCompose(nothing -> feed(writer, content, from + count));
  }

  /** Writes a whole file that must succeed. */
  public WrittenFile writeAll(StripedFile file, byte[] content) {
    return time.await(write(writer(file), content));
  }

  public byte[] readAll(StripeReader reader) {
    ByteBuffer target = ByteBuffer.allocate(Math.toIntExact(reader.sizeBytes()));
    int count = time.await(reader.read(0, target));
    assertEquals(Math.max(target.capacity() == 0 ? 0 : 1, target.capacity()), count);
    return target.array();
  }

  /**
   * All that a stream gives.
   *
   * @param partBytes how much is asked for next
   * @param afterPart gets how much has been read
   */
  public byte[] readAll(StripeStream stream, IntSupplier partBytes, IntConsumer afterPart) {
    ByteBuffer all = ByteBuffer.allocate(Math.toIntExact(stream.sizeBytes()));
    while (all.hasRemaining()) {
      ByteBuffer part = ByteBuffer.allocate(Math.min(partBytes.getAsInt(), all.remaining()));
      time.await(stream.read(part));
      all.put(part.flip());
      afterPart.accept(all.position());
    }
    return all.array();
  }

  /** What the call fails with, which must fail. */
  public WeftException failureOf(CompletableFuture<?> call) {
    CompletionException thrown = assertThrows(CompletionException.class, () -> time.await(call));
    return WeftException.of(thrown);
  }

  /** From now on OSDs answer without faults. */
  public void endFaults() {
    osds.forEach(osd -> osd.faults(opcode -> Fault.NONE));
  }

  /** All is quiet: no memory is held, no payload unreleased. */
  public void assertNothingLeaks() {
    time.pass(60_000_000_000L);
    assertEquals(0, context.pool().reservedBytes(), "reserved bytes");
    assertEquals(0, context.pool().takenBytes(), "taken bytes");
    assertEquals(0, wire.unreleasedPayloads(), "unreleased payloads");
  }
}
