package org.weft.nfs.peer;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.dcache.oncrpc4j.portmap.GenericPortmapClient;
import org.dcache.oncrpc4j.portmap.OncRpcbindServer;
import org.dcache.oncrpc4j.rpc.OncRpcClient;
import org.dcache.oncrpc4j.rpc.OncRpcException;
import org.dcache.oncrpc4j.rpc.OncRpcProgram;
import org.dcache.oncrpc4j.rpc.OncRpcSvc;
import org.dcache.oncrpc4j.rpc.OncRpcSvcBuilder;
import org.dcache.oncrpc4j.rpc.RpcAuthTypeUnix;
import org.dcache.oncrpc4j.rpc.RpcCall;
import org.dcache.oncrpc4j.rpc.net.IpProtocolType;
import org.dcache.oncrpc4j.xdr.XdrAble;
import org.dcache.oncrpc4j.xdr.XdrDecodingStream;
import org.dcache.oncrpc4j.xdr.XdrEncodingStream;
import org.dcache.oncrpc4j.xdr.XdrVoid;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.weft.nfs.model.ModelFileService;
import org.weft.nfs.model.ModelGateway;
import org.weft.nfs.portmap.HostPortmapper;
import org.weft.nfs.portmap.Registration;

/** RPC, XDR and portmapper of oncrpc4j, as clients and as server. */
class OncRpc4jTest {
  private static final int NFS = 100_003;
  private static final int PORTMAP = 100_000;

  private final ModelFileService files = new ModelFileService();
  private final ModelGateway gateway = new ModelGateway(files, files.root());
  private final byte[] root = gateway.handle(ModelGateway.OPEN, files.root());

  @AfterEach
  void stop() {
    gateway.close();
  }

  /** Arguments that are written by that, or a result that is read. */
  private interface Writing {
    void write(XdrEncodingStream out) throws java.io.IOException;
  }

  private static XdrAble arguments(Writing writing) {
    return new XdrAble() {
      @Override
      public void xdrDecode(XdrDecodingStream in) {
        throw new AssertionError("arguments are written");
      }

      @Override
      public void xdrEncode(XdrEncodingStream out) throws java.io.IOException {
        writing.write(out);
      }
    };
  }

  private interface Reading {
    void read(XdrDecodingStream in) throws OncRpcException, java.io.IOException;
  }

  private static XdrAble result(Reading reading) {
    return new XdrAble() {
      @Override
      public void xdrDecode(XdrDecodingStream in) throws OncRpcException, java.io.IOException {
        reading.read(in);
      }

      @Override
      public void xdrEncode(XdrEncodingStream out) {
        throw new AssertionError("results are read");
      }
    };
  }

  private static RpcCall call(OncRpcClient client, int version) throws java.io.IOException {
    return new RpcCall(
        NFS, version, new RpcAuthTypeUnix(0, 0, new int[] {5, 6}, 1, "peer"), client.connect());
  }

  @Test
  void itsClientIsAnswered() throws Exception {
    byte[] data = new byte[1 << 20];
    new Random(1).nextBytes(data);
    byte[][] handle = new byte[1][];
    try (OncRpcClient client = new OncRpcClient(gateway.address(), IpProtocolType.TCP)) {
      RpcCall nfs = call(client, 3);
      nfs.call(0, XdrVoid.XDR_VOID, XdrVoid.XDR_VOID, 30, TimeUnit.SECONDS);
      nfs.call(
          8,
          arguments(
              out -> {
                out.xdrEncodeDynamicOpaque(root);
                out.xdrEncodeString("file");
                out.xdrEncodeInt(1);
                for (int i = 0; i < 6; i++) {
                  out.xdrEncodeInt(0);
                }
              }),
          result(
              in -> {
                assertEquals(0, in.xdrDecodeInt());
                assertTrue(in.xdrDecodeBoolean());
                handle[0] = in.xdrDecodeDynamicOpaque();
              }),
          30,
          TimeUnit.SECONDS);
      nfs.call(
          7,
          arguments(
              out -> {
                out.xdrEncodeDynamicOpaque(handle[0]);
                out.xdrEncodeLong(0);
                out.xdrEncodeInt(data.length);
                out.xdrEncodeInt(2);
                out.xdrEncodeDynamicOpaque(data);
              }),
          result(in -> assertEquals(0, in.xdrDecodeInt())),
          30,
          TimeUnit.SECONDS);
      nfs.call(
          6,
          arguments(
              out -> {
                out.xdrEncodeDynamicOpaque(handle[0]);
                out.xdrEncodeLong(0);
                out.xdrEncodeInt(data.length);
              }),
          result(
              in -> {
                assertEquals(0, in.xdrDecodeInt());
                assertTrue(in.xdrDecodeBoolean());
                in.xdrDecodeOpaque(84);
                assertEquals(data.length, in.xdrDecodeInt());
                assertTrue(in.xdrDecodeBoolean());
                assertArrayEquals(data, in.xdrDecodeDynamicOpaque());
              }),
          30,
          TimeUnit.SECONDS);
      assertThrows(
          OncRpcException.class,
          () -> call(client, 4).call(0, XdrVoid.XDR_VOID, XdrVoid.XDR_VOID, 30, TimeUnit.SECONDS));
    }
  }

  @Test
  void itsPortmapClientFindsWhatOursTells() throws Exception {
    String port =
        "127.0.0.1." + gateway.address().getPort() / 256 + "." + gateway.address().getPort() % 256;
    try (OncRpcClient client = new OncRpcClient(gateway.portmap(), IpProtocolType.TCP)) {
      GenericPortmapClient portmap = new GenericPortmapClient(client.connect());
      assertTrue(portmap.ping());
      assertEquals(port, portmap.getPort(NFS, 3, "tcp"));
      assertTrue(
          portmap.dump().stream().anyMatch(each -> each.toString().contains("100005")),
          () -> "MOUNT is listed");
      assertEquals(false, portmap.setPort(NFS, 3, "tcp", "127.0.0.1.1.1", "thief"));
    }
  }

  @Test
  void itsPortmapperTakesOurRegistrations() throws Exception {
    OncRpcSvc server =
        new OncRpcSvcBuilder()
            .withTCP()
            .withPort(0)
            .withoutAutoPublish()
            .withSameThreadIoStrategy()
            .withBindAddress("127.0.0.1")
            .withRpcService(new OncRpcProgram(PORTMAP, 2), new OncRpcbindServer())
            .build();
    server.start();
    try {
      InetSocketAddress at =
          new InetSocketAddress(
              InetAddress.getLoopbackAddress(),
              server.getInetSocketAddress(IpProtocolType.TCP).getPort());
      HostPortmapper host = new HostPortmapper(gateway.transport(), at, false, Runnable::run);
      List<Registration> ours =
          List.of(new Registration(NFS, 3, 2_049), new Registration(100_005, 3, 2_050));
      ModelGateway.now(host.register(ours));
      try (OncRpcClient client = new OncRpcClient(at, IpProtocolType.TCP)) {
        GenericPortmapClient portmap = new GenericPortmapClient(client.connect());
        assertTrue(portmap.getPort(NFS, 3, "tcp").endsWith(".8.1"), "2049");
        assertTrue(portmap.getPort(100_005, 3, "tcp").endsWith(".8.2"), "2050");
        ModelGateway.now(host.unregister(ours));
        assertTrue(portmap.dump().stream().noneMatch(each -> each.toString().contains("100005")));
      }
    } finally {
      server.stop();
    }
  }
}
