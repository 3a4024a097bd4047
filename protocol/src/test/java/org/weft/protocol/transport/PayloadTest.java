package org.weft.protocol.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.weft.protocol.transport.TestWire.await;
import static org.weft.protocol.transport.TestWire.failure;
import static org.weft.protocol.transport.TestWire.get;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.rpc.FilePayload;
import org.weft.protocol.rpc.InboundRequest;
import org.weft.protocol.rpc.Opcode;
import org.weft.protocol.rpc.Payload;
import org.weft.protocol.rpc.RpcConnection;
import org.weft.protocol.rpc.RpcListener;
import org.weft.protocol.rpc.RpcReply;
import org.weft.protocol.rpc.RpcRequest;
import org.weft.protocol.seam.SegmentFile;
import org.weft.protocol.system.FileSegmentDirectory;
import org.weft.protocol.wire.Empty;
import org.weft.protocol.wire.ReadRequest;

/** Every payload is given back exactly once, and its bytes arrive whole, whatever way they take. */
@Timeout(60)
class PayloadTest {
  /** A payload that counts its releases. */
  private static Payload counted(AtomicInteger released, int bytes) {
    return Payload.of(List.of(ByteBuffer.allocate(bytes)), released::incrementAndGet);
  }

  private static RpcRequest write(Payload payload, int timeoutMillis) {
    return new RpcRequest(Opcode.WRITE, Empty.getDefaultInstance(), payload, timeoutMillis, null);
  }

  private static long crc(List<ByteBuffer> buffers) {
    CRC32C crc = new CRC32C();
    buffers.forEach(buffer -> crc.update(buffer.duplicate()));
    return crc.getValue();
  }

  @Test
  void requestPayloadIsReleasedOnceItHasLeft() throws Exception {
    AtomicInteger released = new AtomicInteger();
    try (TestWire wire = new TestWire();
        RpcListener listener = wire.listen(r -> r.reply(Empty.getDefaultInstance()))) {
      RpcConnection connection = wire.connect(listener);
      for (int i = 0; i < 50; i++) {
        get(connection.call(write(counted(released, i * 1_000), 10_000)));
      }
      assertEquals(50, released.get());
      connection.close();
    }
    assertEquals(50, released.get());
  }

  @Test
  void requestPayloadIsReleasedWhenTheCallIsRefusedOrCannotLeave() throws Exception {
    AtomicInteger released = new AtomicInteger();
    try (TestWire wire = new TestWire();
        RpcListener listener = wire.listen(r -> r.reply(Empty.getDefaultInstance()))) {
      RpcConnection connection = wire.connect(listener);
      failure(
          ErrorCode.INVALID_ARGUMENT,
          connection.call(write(counted(released, (8 << 20) + 1), 1_000)));
      assertEquals(1, released.get());
      connection.close();
      get(connection.closed());
      failure(ErrorCode.CONNECTION_LOST, connection.call(write(counted(released, 9), 1_000)));
      assertEquals(2, released.get());
    }
    assertEquals(2, released.get());
  }

  @Test
  void aWaitingCallThatIsGivenUpReleasesItsPayload() throws Exception {
    AtomicInteger released = new AtomicInteger();
    Queue<InboundRequest> requests = new ConcurrentLinkedQueue<>();
    try (TestWire wire = new TestWire(TestWire.options(true, 1_000, 5_000, 10_000));
        RpcListener listener = wire.listen(requests::add)) {
      RpcConnection connection = wire.connect(listener);
      CompletableFuture<RpcReply> first = connection.call(write(counted(released, 900), 60_000));
      await("the first", () -> requests.size() == 1 && released.get() == 1);
      CompletableFuture<RpcReply> late = connection.call(write(counted(released, 200), 50));
      CompletableFuture<RpcReply> cancelled =
          connection.call(write(counted(released, 200), 60_000));
      cancelled.cancel(false);
      failure(ErrorCode.DEADLINE_EXCEEDED, late);
      await("both releases", () -> released.get() == 3);
      CompletableFuture<RpcReply> fits = connection.call(write(counted(released, 100), 60_000));
      await("one that fits", () -> requests.size() == 2);
      requests.forEach(request -> request.reply(Empty.getDefaultInstance()));
      get(first);
      get(fits);
    }
    assertEquals(4, released.get());
    assertEquals(2, requests.size());
  }

  @Test
  void payloadsOnBothSidesAreReleasedWhenTheConnectionIsLost() throws Exception {
    AtomicInteger sent = new AtomicInteger();
    AtomicInteger replied = new AtomicInteger();
    Queue<InboundRequest> requests = new ConcurrentLinkedQueue<>();
    try (TestWire wire = new TestWire(TestWire.options(true, 4 << 20, 5_000, 10_000));
        RpcListener listener = wire.listen(requests::add)) {
      RpcConnection connection = wire.connect(listener);
      List<CompletableFuture<RpcReply>> calls = new ArrayList<>();
      for (int i = 0; i < 20; i++) {
        calls.add(connection.call(write(counted(sent, 1 << 20), 60_000)));
      }
      await("a window full", () -> requests.size() == 4);
      InboundRequest first = requests.remove();
      // More than the sockets take: the reply is under way when the connection ends.
      first.reply(Empty.getDefaultInstance(), counted(replied, 8 << 20));
      first.peer().close();
      for (CompletableFuture<RpcReply> call : calls) {
        try {
          get(call).payload().release();
        } catch (java.util.concurrent.ExecutionException e) {
          assertEquals(
              ErrorCode.CONNECTION_LOST, org.weft.protocol.error.WeftException.of(e).code());
        }
      }
      requests.forEach(
          request -> request.reply(Empty.getDefaultInstance(), counted(replied, 1_000)));
      await("all releases", () -> sent.get() == 20 && replied.get() == 1 + requests.size());
    }
    assertEquals(20, sent.get());
    assertEquals(1 + requests.size(), replied.get());
  }

  @Test
  void releasedPayloadIsNotReadableAnyMore() throws Exception {
    Queue<Payload> payloads = new ConcurrentLinkedQueue<>();
    try (TestWire wire = new TestWire();
        RpcListener listener =
            wire.listen(
                request -> {
                  payloads.add(request.payload());
                  request.reply(Empty.getDefaultInstance());
                })) {
      RpcConnection connection = wire.connect(listener);
      get(connection.call(write(Payload.of(ByteBuffer.allocate(100)), 10_000)));
      assertThrows(IllegalStateException.class, () -> payloads.remove().buffers());
    }
  }

  @Test
  void requestsOwnPayloadMayBeTheReply() throws Exception {
    try (TestWire wire = new TestWire();
        RpcListener listener = wire.listen(r -> r.reply(Empty.getDefaultInstance(), r.payload()))) {
      RpcConnection connection = wire.connect(listener);
      ByteBuffer bytes = ByteBuffer.allocateDirect(300_000);
      new SplittableRandom(1).ints(300_000).forEach(i -> bytes.put((byte) i));
      bytes.flip();
      RpcReply reply = get(connection.call(write(Payload.of(bytes), 10_000)));
      assertEquals(crc(List.of(bytes)), crc(reply.payload().buffers()));
      reply.payload().release();
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void manyBuffersOfAllKindsArriveAsOne(boolean nativeSockets) throws Exception {
    SplittableRandom random = new SplittableRandom(4);
    TransportOptions options = TestWire.options(nativeSockets, 32 << 20, 5_000, 10_000);
    try (TestWire wire = new TestWire(options);
        RpcListener listener = wire.listen(r -> r.reply(Empty.getDefaultInstance(), r.payload()))) {
      RpcConnection connection = wire.connect(listener);
      for (int round = 0; round < 20; round++) {
        ByteBuffer[] buffers = new ByteBuffer[1 + random.nextInt(40)];
        for (int i = 0; i < buffers.length; i++) {
          int size = random.nextInt(1 + random.nextInt(100_000));
          buffers[i] =
              random.nextBoolean() ? ByteBuffer.allocate(size) : ByteBuffer.allocateDirect(size);
          for (int at = 0; at < size; at++) {
            buffers[i].put(at, (byte) random.nextInt());
          }
          buffers[i].position(size / 10);
        }
        RpcReply reply = get(connection.call(write(Payload.of(buffers), 10_000)));
        assertEquals(crc(List.of(buffers)), crc(reply.payload().buffers()));
        reply.payload().release();
      }
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void fileRangesLeaveAsTheyAre(boolean nativeSockets, @TempDir Path folder) throws Exception {
    int fileBytes = 24 << 20;
    byte[] content = new byte[fileBytes];
    new SplittableRandom(9).nextBytes(content);
    AtomicInteger released = new AtomicInteger();
    TransportOptions options = TestWire.options(nativeSockets, 32 << 20, 5_000, 10_000);
    try (SegmentFile file = new FileSegmentDirectory(folder).create("segment");
        TestWire wire = new TestWire(options);
        RpcListener listener =
            wire.listen(
                request -> {
                  try {
                    ReadRequest read = request.parse(ReadRequest.parser());
                    request.reply(
                        Empty.getDefaultInstance(),
                        file.payload(
                            read.getOffset(), read.getLength(), released::incrementAndGet));
                  } catch (org.weft.protocol.error.WeftException e) {
                    request.fail(e);
                  }
                })) {
      file.write(new ByteBuffer[] {ByteBuffer.wrap(content)}, 0);
      RpcConnection connection = wire.connect(listener);
      SplittableRandom random = new SplittableRandom(10);
      List<int[]> ranges = new ArrayList<>();
      List<CompletableFuture<RpcReply>> calls = new ArrayList<>();
      for (int i = 0; i < 40; i++) {
        int most = i % 4 == 1 ? 40 << 10 : 1 + random.nextInt(4 << 20);
        int length = i == 0 ? 8 << 20 : random.nextInt(most);
        int[] range = {random.nextInt(fileBytes - length), length};
        ranges.add(range);
        ReadRequest read = ReadRequest.newBuilder().setOffset(range[0]).setLength(length).build();
        calls.add(connection.call(RpcRequest.unsigned(Opcode.READ, read, 30_000)));
      }
      for (int i = 0; i < calls.size(); i++) {
        RpcReply reply = get(calls.get(i));
        int[] range = ranges.get(i);
        assertEquals(range[1], reply.payload().lengthBytes());
        assertEquals(
            crc(List.of(ByteBuffer.wrap(content, range[0], range[1]))),
            crc(reply.payload().buffers()));
        reply.payload().release();
      }
      await("all releases", () -> released.get() == 40);
    }
    assertEquals(40, released.get());
  }

  /** Several ranges in a row. */
  private record Ranges(FilePayload first, FilePayload second) implements FilePayload {
    @Override
    public List<Range> ranges() {
      return List.of(first.ranges().get(0), second.ranges().get(0));
    }

    @Override
    public int lengthBytes() {
      return first.lengthBytes() + second.lengthBytes();
    }

    @Override
    public List<ByteBuffer> buffers() {
      return List.of(first.buffers().get(0), second.buffers().get(0));
    }

    @Override
    public void release() {
      first.release();
      second.release();
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {3_000, 300_000})
  void severalFileRangesGoUpToo(int firstBytes, @TempDir Path folder) throws Exception {
    byte[] content = new byte[1 << 20];
    new SplittableRandom(9).nextBytes(content);
    AtomicInteger released = new AtomicInteger();
    try (SegmentFile file = new FileSegmentDirectory(folder).create("segment");
        TestWire wire = new TestWire();
        RpcListener listener = wire.listen(r -> r.reply(Empty.getDefaultInstance(), r.payload()))) {
      file.write(new ByteBuffer[] {ByteBuffer.wrap(content)}, 0);
      FilePayload tail = (FilePayload) file.payload(600_000, firstBytes, released::incrementAndGet);
      FilePayload head = (FilePayload) file.payload(10, firstBytes / 2, released::incrementAndGet);
      RpcReply reply = get(wire.connect(listener).call(write(new Ranges(tail, head), 10_000)));
      assertEquals(
          crc(
              List.of(
                  ByteBuffer.wrap(content, 600_000, firstBytes),
                  ByteBuffer.wrap(content, 10, firstBytes / 2))),
          crc(reply.payload().buffers()));
      reply.payload().release();
      await("both releases", () -> released.get() == 2);
    }
  }

  @ParameterizedTest
  @CsvSource({"true, 10000", "false, 10000", "true, 100000", "false, 100000"})
  void fileThatIsShorterThanPromisedEndsTheConnection(
      boolean nativeSockets, int promisedBytes, @TempDir Path folder) throws Exception {
    AtomicInteger released = new AtomicInteger();
    TransportOptions options = TestWire.options(nativeSockets, 32 << 20, 5_000, 10_000);
    try (SegmentFile file = new FileSegmentDirectory(folder).create("segment");
        TestWire wire = new TestWire(options);
        RpcListener listener =
            wire.listen(
                r ->
                    r.reply(
                        Empty.getDefaultInstance(),
                        file.payload(0, promisedBytes, released::incrementAndGet)))) {
      file.resize(5_000);
      RpcConnection connection = wire.connect(listener);
      failure(
          ErrorCode.CONNECTION_LOST,
          connection.call(RpcRequest.unsigned(Opcode.READ, Empty.getDefaultInstance(), 10_000)));
      await("the release", () -> released.get() == 1);
    }
    assertEquals(1, released.get());
  }

  @Test
  void answerThatCrossesACancellationIsReleased() throws Exception {
    try (TestWire wire = new TestWire();
        RpcListener listener =
            wire.listen(
                r ->
                    r.reply(Empty.getDefaultInstance(), Payload.of(ByteBuffer.allocate(50_000))))) {
      RpcConnection connection = wire.connect(listener);
      for (int i = 0; i < 300; i++) {
        CompletableFuture<RpcReply> call =
            connection.call(RpcRequest.unsigned(Opcode.READ, Empty.getDefaultInstance(), 10_000));
        if (!call.cancel(false) && !call.isCompletedExceptionally()) {
          get(call).payload().release();
        }
      }
      // TestWire finds what was not given back.
      get(connection.call(RpcRequest.unsigned(Opcode.READ, Empty.getDefaultInstance(), 10_000)))
          .payload()
          .release();
    }
  }
}
