package org.weft.it.nfs.peers;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.dcache.oncrpc4j.rpc.OncRpcClient;
import org.dcache.oncrpc4j.rpc.OncRpcException;
import org.dcache.oncrpc4j.rpc.RpcAuthTypeUnix;
import org.dcache.oncrpc4j.rpc.RpcCall;
import org.dcache.oncrpc4j.rpc.RpcTransport;
import org.dcache.oncrpc4j.rpc.net.IpProtocolType;
import org.dcache.oncrpc4j.xdr.XdrAble;
import org.dcache.oncrpc4j.xdr.XdrDecodingStream;
import org.dcache.oncrpc4j.xdr.XdrEncodingStream;
import org.dcache.oncrpc4j.xdr.XdrVoid;

/** Calls a gateway with the RPC and XDR of oncrpc4j, as user 0. */
final class Oncrpc4jClient implements AutoCloseable {
  static final int NFS = 100_003;
  static final int MOUNT = 100_005;
  static final int NLM = 100_021;
  static final int NSM = 100_024;

  private static final int TIMEOUT_SECONDS = 60;

  /** Writes arguments. */
  @FunctionalInterface
  interface Arguments {
    void write(XdrEncodingStream out) throws IOException;
  }

  /** Reads a result. */
  @FunctionalInterface
  interface Result {
    void read(XdrDecodingStream in) throws OncRpcException, IOException;
  }

  private static XdrAble xdr(Arguments arguments, Result result) {
    return new XdrAble() {
      @Override
      public void xdrDecode(XdrDecodingStream in) throws OncRpcException, IOException {
        result.read(in);
      }

      @Override
      public void xdrEncode(XdrEncodingStream out) throws OncRpcException, IOException {
        arguments.write(out);
      }
    };
  }

  private final OncRpcClient client;
  private final RpcTransport transport;

  Oncrpc4jClient(int port) throws IOException {
    client = new OncRpcClient(new InetSocketAddress(PeerCluster.HOST, port), IpProtocolType.TCP);
    transport = client.connect();
  }

  RpcTransport transport() {
    return transport;
  }

  void call(int program, int version, int procedure, Arguments arguments, Result result)
      throws IOException, TimeoutException {
    new RpcCall(
            program, version, new RpcAuthTypeUnix(0, 0, new int[] {5, 6}, 1, "oncrpc4j"), transport)
        .call(
            procedure,
            xdr(arguments, in -> {}),
            xdr(out -> {}, result),
            TIMEOUT_SECONDS,
            TimeUnit.SECONDS);
  }

  /** The NULL procedure. */
  void ping(int program, int version) throws IOException, TimeoutException {
    new RpcCall(program, version, new RpcAuthTypeUnix(0, 0, new int[0], 1, "oncrpc4j"), transport)
        .call(0, XdrVoid.XDR_VOID, XdrVoid.XDR_VOID, TIMEOUT_SECONDS, TimeUnit.SECONDS);
  }

  /** MNT; the handle. */
  byte[] mount(String path) throws IOException, TimeoutException {
    byte[][] handle = new byte[1][];
    call(
        MOUNT,
        3,
        1,
        out -> out.xdrEncodeString(path),
        in -> {
          requireOk("MNT " + path, in);
          handle[0] = in.xdrDecodeDynamicOpaque();
          in.xdrDecodeIntVector();
        });
    return handle[0];
  }

  void unmount(String path) throws IOException, TimeoutException {
    call(MOUNT, 3, 3, out -> out.xdrEncodeString(path), in -> {});
  }

  void unmountAll() throws IOException, TimeoutException {
    call(MOUNT, 3, 4, out -> {}, in -> {});
  }

  static void requireOk(String what, XdrDecodingStream in) throws OncRpcException, IOException {
    int status = in.xdrDecodeInt();
    if (status != 0) {
      throw new AssertionError(what + ": status " + status);
    }
  }

  @Override
  public void close() throws IOException {
    client.close();
  }
}
