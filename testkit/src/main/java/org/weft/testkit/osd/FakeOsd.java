package org.weft.testkit.osd;

import com.google.protobuf.ByteString;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.Executor;
import java.util.function.Function;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ClusterId;
import org.weft.protocol.id.ObjectName;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.id.PartitionId;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.rpc.InboundRequest;
import org.weft.protocol.rpc.ListenOptions;
import org.weft.protocol.rpc.Opcode;
import org.weft.protocol.rpc.Payload;
import org.weft.protocol.rpc.RpcListener;
import org.weft.protocol.rpc.RpcService;
import org.weft.protocol.seam.Transport;
import org.weft.protocol.wire.PendingWrite;

/**
 * An OSD in memory that serves any partition with one working key. Objects outlive {@link #stop}.
 * Its state is guarded by its monitor; commands run on the executor given, in whatever order that
 * likes.
 */
public final class FakeOsd implements RpcService, AutoCloseable {
  private static final byte POISON = (byte) 0xdb;

  private final OsdId id;
  private final ClusterId clusterId;
  private final Transport transport;
  private final Executor executor;
  private final FakeOsdStore store;
  private final FakeCommands commands;
  private Endpoint address = new Endpoint("127.0.0.1", 0);
  private RpcListener listener;
  private long incarnation;
  private Function<Opcode, Fault> faults = opcode -> Fault.NONE;

  private FakeOsd(
      OsdId id, ClusterId clusterId, Transport transport, Executor executor, byte[] workingKey) {
    this.id = id;
    this.clusterId = clusterId;
    this.transport = transport;
    this.executor = executor;
    this.store = new FakeOsdStore(id, workingKey.clone());
    this.commands = new FakeCommands(store);
  }

  /** Listens on any free port of the loopback; blocks until it does. */
  public static FakeOsd start(
      OsdId id, ClusterId clusterId, Transport transport, Executor executor, byte[] workingKey) {
    FakeOsd osd = new FakeOsd(id, clusterId, transport, executor, workingKey);
    osd.restart();
    return osd;
  }

  public OsdId id() {
    return id;
  }

  public synchronized Endpoint address() {
    return address;
  }

  public synchronized long incarnation() {
    return incarnation;
  }

  /** Ends all connections and takes no new ones. */
  public void stop() {
    RpcListener stopping;
    synchronized (this) {
      stopping = listener;
      listener = null;
    }
    if (stopping != null) {
      stopping.close();
    }
  }

  /** Stops if need be and listens again, at the same address, with the next incarnation. */
  public void restart() {
    stop();
    long next;
    synchronized (this) {
      next = ++incarnation;
    }
    ListenOptions options = ListenOptions.of(() -> Optional.of(clusterId), "osd-" + id, next);
    RpcListener started = transport.listen(address(), options, this).toCompletableFuture().join();
    synchronized (this) {
      listener = started;
      address = started.address();
    }
  }

  /** Asked for each request from now on. */
  public synchronized void faults(Function<Opcode, Fault> deciding) {
    faults = deciding;
  }

  /** Refuses all that concerns the volume with QUARANTINED, or takes it again (P 5.8). */
  public synchronized void close(PartitionId volume, boolean isClosed) {
    commands.close(volume, isClosed);
  }

  /** The object is gone, as after the loss of its metadata. */
  public synchronized void loseObject(ObjectName name) {
    var unused = store.objects().remove(name);
  }

  /** The tables do not give the object any more. */
  public synchronized void spoil(ObjectName name) {
    store.spoil(name);
  }

  /** A power loss took the newest bytes of a block, and left these, which the OSD says. */
  public synchronized void giveBack(ObjectName name, long offsetBytes, byte[] older) {
    store.objects().get(name).giveBack(offsetBytes / FakeObject.BLOCK_BYTES, older);
  }

  /** Blocks of an object that were given back, as far as they were not dealt with. */
  public synchronized SortedSet<Long> givenBack(ObjectName name) {
    return new TreeSet<>(store.objects().get(name).givenBack());
  }

  /** A stored bit flips on the medium. */
  public synchronized void flipBit(ObjectName name, long offsetBytes) {
    store.objects().get(name).flipBit(offsetBytes);
  }

  public synchronized SortedSet<ObjectName> objects() {
    return new TreeSet<>(store.objects().keySet());
  }

  /** File length as the object knows it. */
  public synchronized long eof(ObjectName name) {
    return store.objects().get(name).eof();
  }

  /** The truncation number that the file length belongs to. */
  public synchronized int truncationNumber(ObjectName name) {
    return store.objects().get(name).truncationNumber();
  }

  /** Up to which seq of the grant all is known to be complete (P 5.4). */
  public synchronized long completeUpTo(ObjectName name, long grant) {
    return store.objects().get(name).pending().completeUpTo(grant);
  }

  /** The pending list, ordered by id (P 5.4). */
  public synchronized List<PendingWrite> pendingWrites(ObjectName name) {
    return store.objects().get(name).pending().writes();
  }

  /** All seqs of the grant up to this one are complete, as an attribute flush would say. */
  public synchronized void complete(ObjectName name, long grant, long upTo) {
    store.objects().get(name).pending().complete(grant, upTo);
  }

  /** Fences smaller grants off, as RAISE_VERSION does; nothing where the object is absent. */
  public synchronized void raiseVersion(ObjectName name, long version) {
    FakeObject object = store.objects().get(name);
    if (object != null) {
      object.raiseVersion(version);
    }
  }

  /** Attribute page 0, if the object has one. */
  public synchronized Optional<ByteString> attributePage(ObjectName name) {
    return Optional.ofNullable(store.objects().get(name).pages().get(0))
        .map(page -> page.getValue());
  }

  /** What is stored of the object, holes as zeros; length is a multiple of 4096. */
  public synchronized byte[] bytes(ObjectName name) {
    var blocks = new java.util.TreeMap<>(store.objects().get(name).blocks());
    int count = blocks.isEmpty() ? 0 : Math.toIntExact(blocks.lastKey() + 1);
    byte[] bytes = new byte[count * FakeObject.BLOCK_BYTES];
    blocks.forEach(
        (number, block) ->
            System.arraycopy(
                block.bytes(),
                0,
                bytes,
                Math.toIntExact(number * FakeObject.BLOCK_BYTES),
                FakeObject.BLOCK_BYTES));
    return bytes;
  }

  /** Overwrites stored bytes past all commands, with good checksums: a torn or foreign write. */
  public synchronized void overwrite(ObjectName name, long blockNumber, byte[] block) {
    FakeObject object = store.objects().get(name);
    FakeObject.Block old = object.blocks().get(blockNumber);
    object.putBlock(
        blockNumber,
        FakeObject.Block.of(
            block.clone(), old == null ? 0 : old.grant(), old == null ? 0 : old.seq()));
  }

  /** True if everything that was acknowledged of the object is on stable storage. */
  public synchronized boolean isDurable(ObjectName name) {
    return store.objects().get(name).isDurable();
  }

  /** How many writes, of either kind, changed something: a repeated one does not. */
  public synchronized long executedWrites() {
    return store.executedWrites();
  }

  @Override
  public void handle(InboundRequest request) {
    Opcode opcode = Opcode.of(request.opcodeNumber()).orElse(null);
    Fault fault;
    synchronized (this) {
      fault = opcode == null ? Fault.NONE : faults.apply(opcode);
    }
    if (fault instanceof Fault.Refused refused) {
      request.fail(refused.code(), "refused by the test");
    } else if (fault instanceof Fault.Cut cut) {
      if (cut.carriedOut()) {
        answer(opcode, request, Fault.NONE, false);
      }
      request.peer().close();
    } else if (fault instanceof Fault.Held held) {
      var unused =
          held.gate()
              .thenRun(() -> executor.execute(() -> answer(opcode, request, Fault.NONE, true)));
    } else {
      executor.execute(() -> answer(opcode, request, fault, true));
    }
  }

  private void answer(Opcode opcode, InboundRequest request, Fault fault, boolean reply) {
    byte[] payload = bytesOf(request.payload().buffers());
    boolean flip = fault instanceof Fault.BitFlip;
    if (fault == Fault.BIT_FLIP && payload.length > 0) {
      payload[payload.length / 2] ^= 1;
    }
    try {
      FakeCommands.Answer answer = execute(opcode, request, payload);
      if (reply) {
        byte[] out = answer.payload();
        if (flip && out.length > 0) {
          out[out.length / 2] ^= 1;
        }
        request.reply(answer.body(), poisonedOnRelease(out));
      }
    } catch (WeftException e) {
      if (reply) {
        request.fail(e.code(), e.getMessage());
      }
    }
  }

  /** A reader of a payload sees garbage after its release. */
  private static Payload poisonedOnRelease(byte[] bytes) {
    return bytes.length == 0
        ? Payload.EMPTY
        : Payload.of(List.of(ByteBuffer.wrap(bytes)), () -> Arrays.fill(bytes, POISON));
  }

  private synchronized FakeCommands.Answer execute(
      Opcode opcode, InboundRequest request, byte[] payload) throws WeftException {
    return commands.execute(opcode, request, payload, incarnation);
  }

  private static byte[] bytesOf(List<ByteBuffer> buffers) {
    int length = buffers.stream().mapToInt(ByteBuffer::remaining).sum();
    ByteBuffer bytes = ByteBuffer.allocate(length);
    buffers.forEach(bytes::put);
    return bytes.array();
  }

  @Override
  public void close() {
    stop();
  }
}
