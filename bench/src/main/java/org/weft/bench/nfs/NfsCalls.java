package org.weft.bench.nfs;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.function.Consumer;
import org.weft.nfs.oncrpc.MalformedXdrException;
import org.weft.nfs.oncrpc.OncRpcClient;
import org.weft.nfs.oncrpc.RpcCredential;
import org.weft.nfs.oncrpc.XdrReader;
import org.weft.nfs.oncrpc.XdrWriter;
import org.weft.protocol.rpc.Payload;

/**
 * The procedures of RFC 1813 that the loads need, on one connection. Errors of the server are
 * IOExceptions with their number. Thread-safe.
 */
final class NfsCalls {
  static final int UNSTABLE = 0;
  static final int FILE_SYNC = 2;
  static final int MAX_BYTES = 1 << 20;

  private static final int MOUNT = 100_005;
  private static final int NFS = 100_003;
  private static final int NOENT = 2;
  private static final int EXIST = 17;
  private static final int MAX_HANDLE_BYTES = 64;
  private static final int DIRECTORY = 2;
  private static final int REPLY_BYTES = 256 << 10;

  /** What was asked for is not there. */
  static final class NotThere extends IOException {
    private static final long serialVersionUID = 1;

    NotThere(String what) {
      super(what + " is not there");
    }
  }

  /** What was to be made is there. */
  static final class IsThere extends IOException {
    private static final long serialVersionUID = 1;

    IsThere(String what) {
      super(what + " is there");
    }
  }

  /** A node as LOOKUP and CREATE answer it. */
  record Node(byte[] handle, boolean isDirectory, long lengthBytes) {}

  /** An entry of a listing. */
  record Entry(String name, boolean isDirectory) {}

  /** What READ has brought. */
  record Bytes(byte[] data, boolean isEnd) {}

  /** What WRITE has done; of COMMIT the count is 0. */
  record Written(int countBytes, long verifier) {}

  private final OncRpcClient rpc;
  private final RpcCredential credential = new RpcCredential.Sys(0, "bench", 0, 0, List.of());

  NfsCalls(OncRpcClient rpc) {
    this.rpc = rpc;
  }

  private <T> CompletionStage<T> call(
      int program,
      int procedure,
      String what,
      Consumer<XdrWriter> arguments,
      OncRpcClient.ResultReader<T> results) {
    return rpc.call(
            new OncRpcClient.Target(program, 3, procedure),
            credential,
            arguments,
            in -> {
              int status = in.int32();
              return new Reply<>(status, status == 0 ? results.read(in) : null);
            })
        .thenApply(reply -> result(what, reply));
  }

  /** A status, and what follows one of 0. */
  private record Reply<T>(int status, T result) {}

  private static <T> T result(String what, Reply<T> reply) {
    return switch (reply.status()) {
      case 0 -> reply.result();
      case NOENT -> throw new FailedCall(new NotThere(what));
      case EXIST -> throw new FailedCall(new IsThere(what));
      default ->
          throw new FailedCall(new IOException(what + " failed with status " + reply.status()));
    };
  }

  /** Carries a failure through a stage. */
  private static final class FailedCall extends RuntimeException {
    private static final long serialVersionUID = 1;

    FailedCall(IOException cause) {
      super(cause);
    }
  }

  /** Waits for a call. */
  static <T> T await(CompletionStage<T> stage) throws IOException {
    try {
      return stage.toCompletableFuture().get();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted while a call was under way");
    } catch (ExecutionException e) {
      Throwable cause = e.getCause() instanceof FailedCall ? e.getCause().getCause() : e.getCause();
      if (cause instanceof NotThere gone) {
        throw gone;
      }
      if (cause instanceof IsThere there) {
        throw there;
      }
      throw new IOException("a call failed: " + cause.getMessage(), cause);
    }
  }

  private static Consumer<XdrWriter> name(byte[] directory, String name) {
    return out -> out.opaque(directory).opaque(name.getBytes(StandardCharsets.UTF_8));
  }

  /** sattr3 with a mode alone. */
  private static void mode(XdrWriter out, int mode) {
    out.bool(true).int32(mode).int32(0).int32(0).int32(0).int32(0).int32(0);
  }

  private record Attributes(int type, long lengthBytes) {}

  private static Attributes attributes(XdrReader in) throws MalformedXdrException {
    int type = in.int32();
    in.fixedOpaque(16);
    long length = in.int64();
    in.fixedOpaque(56);
    return new Attributes(type, length);
  }

  private static Attributes optional(XdrReader in) throws MalformedXdrException {
    return in.bool() ? attributes(in) : new Attributes(0, 0);
  }

  private static void skipWcc(XdrReader in) throws MalformedXdrException {
    if (in.bool()) {
      in.fixedOpaque(24);
    }
    var unused = optional(in);
  }

  byte[] mount(String export) throws IOException {
    return await(
        call(
            MOUNT,
            1,
            export,
            out -> out.opaque(export.getBytes(StandardCharsets.UTF_8)),
            in -> {
              byte[] handle = in.opaque(MAX_HANDLE_BYTES);
              for (int i = in.count(16); i > 0; i--) {
                in.int32();
              }
              return handle;
            }));
  }

  void getAttributes(byte[] handle) throws IOException {
    var unused = await(call(NFS, 1, "GETATTR", out -> out.opaque(handle), NfsCalls::attributes));
  }

  Node lookup(byte[] directory, String name) throws IOException {
    return await(
        call(
            NFS,
            3,
            name,
            name(directory, name),
            in -> {
              byte[] handle = in.opaque(MAX_HANDLE_BYTES);
              Attributes found = optional(in);
              return new Node(handle, found.type() == DIRECTORY, found.lengthBytes());
            }));
  }

  CompletionStage<Bytes> read(byte[] handle, long offset, int count) {
    return call(
        NFS,
        6,
        "READ",
        out -> out.opaque(handle).int64(offset).int32(count),
        in -> {
          var unused = optional(in);
          in.int32();
          boolean isEnd = in.bool();
          return new Bytes(in.opaque(MAX_BYTES), isEnd);
        });
  }

  /**
   * @param stable as stable_how has it
   */
  CompletionStage<Written> write(byte[] handle, long offset, byte[] bytes, int length, int stable) {
    return call(
        NFS,
        7,
        "WRITE",
        out ->
            out.opaque(handle)
                .int64(offset)
                .int32(length)
                .int32(stable)
                .payload(Payload.of(ByteBuffer.wrap(bytes, 0, length))),
        in -> {
          skipWcc(in);
          int count = in.int32();
          in.int32();
          return new Written(count, in.int64());
        });
  }

  Written commit(byte[] handle) throws IOException {
    return await(
        call(
            NFS,
            21,
            "COMMIT",
            out -> out.opaque(handle).int64(0).int32(0),
            in -> {
              skipWcc(in);
              return new Written(0, in.int64());
            }));
  }

  /** GUARDED: it must not be there. */
  byte[] create(byte[] directory, String name) throws IOException {
    return made(
        8,
        name,
        name(directory, name)
            .andThen(
                out -> {
                  out.int32(1);
                  mode(out, 0644);
                }));
  }

  byte[] mkdir(byte[] directory, String name) throws IOException {
    return made(9, name, name(directory, name).andThen(out -> mode(out, 0755)));
  }

  private byte[] made(int procedure, String what, Consumer<XdrWriter> arguments)
      throws IOException {
    return await(
        call(
            NFS,
            procedure,
            what,
            arguments,
            in -> {
              if (!in.bool()) {
                throw new MalformedXdrException(what + " was made and has no handle");
              }
              return in.opaque(MAX_HANDLE_BYTES);
            }));
  }

  void remove(byte[] directory, String name) throws IOException {
    var unused = await(call(NFS, 12, name, name(directory, name), in -> 0));
  }

  void rmdir(byte[] directory, String name) throws IOException {
    var unused = await(call(NFS, 13, name, name(directory, name), in -> 0));
  }

  void rename(byte[] from, String oldName, byte[] to, String newName) throws IOException {
    var unused =
        await(call(NFS, 14, oldName, name(from, oldName).andThen(name(to, newName)), in -> 0));
  }

  /** A whole directory with its entries' attributes, but for "." and "..". */
  List<Entry> list(byte[] directory) throws IOException {
    List<Entry> all = new ArrayList<>();
    long[] cookie = new long[2];
    boolean isEnd = false;
    while (!isEnd) {
      long from = cookie[0];
      long verifier = cookie[1];
      isEnd =
          await(
              call(
                  NFS,
                  17,
                  "READDIRPLUS",
                  out ->
                      out.opaque(directory)
                          .int64(from)
                          .int64(verifier)
                          .int32(REPLY_BYTES)
                          .int32(REPLY_BYTES),
                  in -> page(in, all, cookie)));
    }
    return all;
  }

  private static boolean page(XdrReader in, List<Entry> all, long[] cookie)
      throws MalformedXdrException {
    var unused = optional(in);
    cookie[1] = in.int64();
    while (in.bool()) {
      in.int64();
      String name = new String(in.opaque(255), StandardCharsets.UTF_8);
      cookie[0] = in.int64();
      Attributes attributes = optional(in);
      if (in.bool()) {
        in.opaque(MAX_HANDLE_BYTES);
      }
      if (!name.equals(".") && !name.equals("..")) {
        all.add(new Entry(name, attributes.type() == DIRECTORY));
      }
    }
    return in.bool();
  }
}
