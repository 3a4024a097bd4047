package org.weft.nfs.oncrpc;

import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.weft.protocol.rpc.Payload;

/** A program whose calls are answered when the test says so. */
final class EchoProgram {
  static final int NUMBER = 0x20001234;
  static final int ECHO = 1;
  static final int HELD = 2;
  static final int FAILS = 3;
  static final int ONCE = 4;
  static final int LARGE = 5;
  static final int THROWS = 6;
  static final int OUT_OF_MEMORY = 7;

  /** A call that waits to be answered. */
  record Held(int argument, CompletableFuture<OncReply> reply) {
    void answer() {
      reply.complete(out -> out.int32(argument));
    }
  }

  final BlockingQueue<Held> held = new LinkedBlockingQueue<>();
  final AtomicInteger carriedOut = new AtomicInteger();
  final AtomicInteger payloads = new AtomicInteger();

  RpcProgram program() {
    Map<Integer, RpcProcedure> procedures =
        Map.of(
            ECHO,
            this::echo,
            HELD,
            this::held,
            FAILS,
            this::fails,
            ONCE,
            new Once(),
            LARGE,
            this::large,
            THROWS,
            this::throwing,
            OUT_OF_MEMORY,
            this::outOfMemory);
    return new RpcProgram(NUMBER, "echo").version(2, procedures).version(4, procedures);
  }

  private RpcTask echo(XdrReader in) throws MalformedXdrException {
    Payload payload = in.payload(1 << 20);
    return new RpcTask() {
      @Override
      public CompletableFuture<OncReply> run(RpcCall call) {
        return CompletableFuture.completedFuture(
            new OncReply() {
              @Override
              public void write(XdrWriter out) {
                out.payload(payload);
              }

              @Override
              public void drop() {
                payload.release();
              }
            });
      }

      @Override
      public void drop() {
        payload.release();
      }
    };
  }

  private RpcTask held(XdrReader in) throws MalformedXdrException {
    int argument = in.int32();
    return call -> {
      CompletableFuture<OncReply> reply = new CompletableFuture<>();
      held.add(new Held(argument, reply));
      return reply;
    };
  }

  private RpcTask fails(XdrReader in) {
    return call -> CompletableFuture.failedFuture(new IllegalStateException("a mistake"));
  }

  private RpcTask throwing(XdrReader in) {
    return call -> {
      throw new IllegalStateException("a mistake");
    };
  }

  /** Answers with as many bytes as are asked for, counted until they are released. */
  private RpcTask large(XdrReader in) throws MalformedXdrException {
    int bytes = in.count(1 << 20);
    return new RpcTask() {
      @Override
      public CompletableFuture<OncReply> run(RpcCall call) {
        payloads.incrementAndGet();
        Payload payload =
            Payload.of(
                java.util.List.of(java.nio.ByteBuffer.allocate(bytes)), payloads::decrementAndGet);
        return CompletableFuture.completedFuture(
            new OncReply() {
              @Override
              public void write(XdrWriter out) {
                out.payload(payload);
              }

              @Override
              public void drop() {
                payload.release();
              }
            });
      }

      @Override
      public int mostReplyBytes() {
        return bytes;
      }
    };
  }

  /** A reply that finds no memory outside the heap when half of it is written. */
  private RpcTask outOfMemory(XdrReader in) {
    return call -> {
      payloads.incrementAndGet();
      Payload payload =
          Payload.of(
              java.util.List.of(java.nio.ByteBuffer.allocate(1 << 16)), payloads::decrementAndGet);
      return CompletableFuture.completedFuture(
          out -> {
            out.payload(payload);
            throw new OutOfMemoryError("this test has no memory outside the heap");
          });
    };
  }

  private final class Once implements RpcProcedure {
    @Override
    public RpcTask read(XdrReader in) throws MalformedXdrException {
      in.int32();
      return call -> {
        int count = carriedOut.incrementAndGet();
        return CompletableFuture.completedFuture(out -> out.int32(count));
      };
    }

    @Override
    public Repeats repeats() {
      return Repeats.ANSWERED_AS_THE_FIRST;
    }
  }
}
