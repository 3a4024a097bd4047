package org.weft.bench.micro;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Threads;
import org.weft.osd.command.OsdCommandService;
import org.weft.osd.command.request.ClientGate;
import org.weft.osd.store.Durability;
import org.weft.osd.store.ObjectStore;
import org.weft.osd.store.StoreOptions;
import org.weft.osd.store.mutation.PartitionUpdate;
import org.weft.osd.store.rocksdb.StoreFolder;
import org.weft.osd.store.value.WorkingKey;
import org.weft.protocol.capability.Capability;
import org.weft.protocol.capability.Right;
import org.weft.protocol.capability.SignedCapability;
import org.weft.protocol.id.ClusterId;
import org.weft.protocol.id.ObjectName;
import org.weft.protocol.id.PartitionId;
import org.weft.protocol.layout.Layout;
import org.weft.protocol.rpc.ConnectOptions;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.rpc.ListenOptions;
import org.weft.protocol.rpc.Opcode;
import org.weft.protocol.rpc.Payload;
import org.weft.protocol.rpc.RpcConnection;
import org.weft.protocol.rpc.RpcListener;
import org.weft.protocol.rpc.RpcReply;
import org.weft.protocol.rpc.RpcRequest;
import org.weft.protocol.seam.Environment;
import org.weft.protocol.system.SystemEnvironment;
import org.weft.protocol.wire.ComponentTag;
import org.weft.protocol.wire.WriteRequest;

/**
 * Writes of 128 KiB to one OSD over the loopback, with its store, and on the pool of its commands:
 * Weft's own or a library's. Each caller writes to an object of its own and waits for the answer.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
public class KeptOsdBenchmark {
  private static final PartitionId VOLUME = new PartitionId(1);
  private static final ClusterId CLUSTER = new ClusterId("0123456789abcdef0123456789abcdef");
  private static final byte[] KEY = new byte[32];
  private static final long CAPACITY_BYTES = 4L << 30;
  private static final int WRITE_BYTES = 128 << 10;
  private static final int UNIT_BYTES = 64 << 10;
  private static final int WRITES_OF_OBJECT = 128;
  private static final int TIMEOUT_MILLIS = 30_000;

  @Param({"pool-weft", "pool-jdk", "pool-forkjoin"})
  public String pool;

  private final AtomicLong objects = new AtomicLong(1L << 16);
  private SystemEnvironment system;
  private Path folder;
  private KeptExecutor executor;
  private ObjectStore store;
  private RpcListener listener;
  private RpcConnection connection;

  /** An OSD that serves one volume, and a connection to it. */
  @Setup
  public void open() throws IOException {
    system = SystemEnvironment.create();
    Environment environment = system.environment();
    folder = Files.createTempDirectory("weft-kept-osd");
    store = new StoreFolder(folder).open(StoreOptions.ofCapacity(CAPACITY_BYTES), environment);
    var unused =
        store
            .apply(new PartitionUpdate(VOLUME, List.of(new WorkingKey(1, KEY)), 1))
            .toCompletableFuture()
            .join();
    executor = KeptExecutor.open(pool);
    OsdCommandService commands =
        new OsdCommandService(
            store, environment, executor, Durability.WRITE_BACK, new byte[32], ClientGate.OPEN);
    commands.open();
    listener =
        environment
            .transport()
            .listen(
                new Endpoint("127.0.0.1", 0),
                ListenOptions.of(() -> Optional.of(CLUSTER), () -> "osd-1", 1),
                commands)
            .toCompletableFuture()
            .join();
    connection =
        environment
            .transport()
            .connect(listener.address(), ConnectOptions.to(Optional.of(CLUSTER), "bench"))
            .toCompletableFuture()
            .join();
  }

  @TearDown
  public void close() throws IOException {
    connection.close();
    listener.close();
    executor.close();
    store.close();
    system.close();
    try (Stream<Path> all = Files.walk(folder)) {
      all.sorted(Comparator.reverseOrder()).forEach(KeptOsdBenchmark::delete);
    }
  }

  private static void delete(Path path) {
    try {
      Files.delete(path);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** A caller and its object, which it writes from the beginning again and again. */
  @State(Scope.Thread)
  public static class Writer {
    private static final List<Integer> CRCS = crcs();

    private SignedCapability capability;
    private long object;
    private long sequence;

    @Setup
    public void begin(KeptOsdBenchmark osd) {
      object = osd.objects.incrementAndGet();
      sequence = 0;
      capability =
          SignedCapability.sign(
              new Capability(
                  ObjectName.of(VOLUME.value(), object),
                  Right.bits(Right.READ, Right.WRITE, Right.CREATE),
                  1,
                  object,
                  0,
                  Long.MAX_VALUE,
                  Long.MAX_VALUE,
                  7,
                  1,
                  0),
              KEY);
    }

    private static List<Integer> crcs() {
      CRC32C crc = new CRC32C();
      crc.update(new byte[Layout.BLOCK_BYTES]);
      int value = (int) crc.getValue();
      return IntStream.range(0, WRITE_BYTES / Layout.BLOCK_BYTES).mapToObj(i -> value).toList();
    }

    private RpcRequest next() {
      long offsetBytes = sequence % WRITES_OF_OBJECT * WRITE_BYTES;
      sequence++;
      WriteRequest.Builder write =
          WriteRequest.newBuilder()
              .setCapability(capability.encoded())
              .setObjectId(object)
              .setOffset(offsetBytes)
              .addAllBlockCrc(CRCS)
              .setGrant(object)
              .setFirstSeq(sequence)
              .setSeqCount(1)
              .addParticipants(0)
              .setEof(offsetBytes + WRITE_BYTES)
              .setCompleteUpTo(sequence - 1);
      if (sequence == 1) {
        write.setCreate(
            ComponentTag.newBuilder()
                .setMapGeneration(1)
                .setDataUnits(1)
                .setParityUnits(1)
                .setUnitBytes(UNIT_BYTES)
                .setGroups(1)
                .setGroupDepth(2_000));
      }
      return new RpcRequest(
          Opcode.WRITE,
          write.build(),
          Payload.of(ByteBuffer.allocate(WRITE_BYTES)),
          TIMEOUT_MILLIS,
          capability.secret());
    }
  }

  private RpcReply write(Writer writer, KeptCpuCounters cpu) {
    RpcReply reply = connection.call(writer.next()).join();
    reply.payload().release();
    cpu.operations++;
    return reply;
  }

  @Benchmark
  @Threads(1)
  public RpcReply writers1(Writer writer, KeptCpuCounters cpu) {
    return write(writer, cpu);
  }

  @Benchmark
  @Threads(4)
  public RpcReply writers4(Writer writer, KeptCpuCounters cpu) {
    return write(writer, cpu);
  }

  @Benchmark
  @Threads(16)
  public RpcReply writers16(Writer writer, KeptCpuCounters cpu) {
    return write(writer, cpu);
  }
}
