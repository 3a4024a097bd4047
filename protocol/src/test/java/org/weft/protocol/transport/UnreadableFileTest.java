package org.weft.protocol.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.weft.protocol.transport.TestWire.await;
import static org.weft.protocol.transport.TestWire.failure;
import static org.weft.protocol.transport.TestWire.get;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.rpc.FilePayload;
import org.weft.protocol.rpc.InboundRequest;
import org.weft.protocol.rpc.Opcode;
import org.weft.protocol.rpc.RpcConnection;
import org.weft.protocol.rpc.RpcListener;
import org.weft.protocol.rpc.RpcReply;
import org.weft.protocol.rpc.RpcRequest;
import org.weft.protocol.wire.Empty;

/** A file that ends too soon stands for one that the disk does not give back. */
@Timeout(60)
class UnreadableFileTest {
  private static final byte FILLED = 7;

  @TempDir Path folder;

  private final AtomicInteger failed = new AtomicInteger();
  private final AtomicInteger released = new AtomicInteger();

  /** Its maker knows what to send in place of what cannot be read. */
  private final class Salvaged implements FilePayload {
    private final FileChannel file;
    private final int lengthBytes;

    Salvaged(FileChannel file, int lengthBytes) {
      this.file = file;
      this.lengthBytes = lengthBytes;
    }

    @Override
    public List<Range> ranges() {
      return List.of(new Range(file, 0, lengthBytes));
    }

    @Override
    public int lengthBytes() {
      return lengthBytes;
    }

    @Override
    public List<ByteBuffer> buffers() {
      byte[] bytes = new byte[lengthBytes];
      java.util.Arrays.fill(bytes, FILLED);
      return List.of(ByteBuffer.wrap(bytes));
    }

    @Override
    public void transferFailed() {
      assertEquals(0, released.get());
      failed.incrementAndGet();
    }

    @Override
    public void release() {
      released.incrementAndGet();
    }
  }

  private FileChannel shortFile() throws IOException {
    Path file = folder.resolve("segment");
    Files.write(file, new byte[5_000]);
    return FileChannel.open(file, StandardOpenOption.READ);
  }

  private static RpcRequest read() {
    return RpcRequest.unsigned(Opcode.READ, Empty.getDefaultInstance(), 10_000);
  }

  private void answer(InboundRequest request, FileChannel file, int lengthBytes) {
    request.reply(Empty.getDefaultInstance(), new Salvaged(file, lengthBytes));
  }

  @Test
  void smallTransferIsSalvagedAndTheConnectionGoesOn() throws Exception {
    try (FileChannel file = shortFile();
        TestWire wire = new TestWire();
        RpcListener listener = wire.listen(request -> answer(request, file, 8_192))) {
      RpcConnection connection = wire.connect(listener);
      for (int i = 1; i <= 3; i++) {
        RpcReply reply = get(connection.call(read()));
        assertEquals(8_192, reply.payload().lengthBytes());
        assertEquals(FILLED, reply.payload().buffers().get(0).get(0));
        reply.payload().release();
        int sent = i;
        await("the release", () -> released.get() == sent);
      }
      assertEquals(0, failed.get());
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void largeTransferThatFailsIsToldToItsMaker(boolean nativeSockets) throws Exception {
    TransportOptions options = TestWire.options(nativeSockets, 32 << 20, 5_000, 10_000);
    try (FileChannel file = shortFile();
        TestWire wire = new TestWire(options);
        RpcListener listener = wire.listen(request -> answer(request, file, 100_000))) {
      failure(ErrorCode.CONNECTION_LOST, wire.connect(listener).call(read()));
      await("the release", () -> released.get() == 1);
      assertEquals(1, failed.get());
    }
  }
}
