package org.weft.nfs.v3;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.weft.nfs.exports.Export;
import org.weft.nfs.exports.ExportTable;
import org.weft.nfs.exports.Gatekeeper;
import org.weft.nfs.exports.HandleCodec;
import org.weft.nfs.exports.Policy;
import org.weft.nfs.exports.Squash;
import org.weft.nfs.files.FileService;
import org.weft.nfs.model.ModelFileService;
import org.weft.nfs.model.ModelGateway;
import org.weft.nfs.model.Nfs3Client;
import org.weft.nfs.oncrpc.CallMark;
import org.weft.nfs.oncrpc.OncReply;
import org.weft.nfs.oncrpc.Repeats;
import org.weft.nfs.oncrpc.RpcCall;
import org.weft.nfs.oncrpc.RpcCredential;
import org.weft.nfs.oncrpc.RpcProcedure;
import org.weft.nfs.oncrpc.XdrReader;
import org.weft.nfs.oncrpc.XdrWriter;
import org.weft.protocol.id.ClusterId;

/**
 * A gateway that has just started, and has not reached the manager of an export. Changes that must
 * not be done twice go to the file service, where they wait. A client that got JUKEBOX would ask
 * for them under another number. All else is told JUKEBOX, and holds nothing.
 */
class ManagerAwayTest {
  private static final int TRIES = 30;
  private static final Set<Integer> CHANGES = Set.of(2, 8, 9, 10, 11, 12, 13, 14, 15);

  private final ModelFileService files = new ModelFileService(1 << 20);
  private final Export export =
      new Export(1, "/", Optional.empty(), List.of(), false, Squash.NONE, true);
  private final HandleCodec handles =
      new HandleCodec(new ClusterId("0".repeat(32)), 1, new byte[HandleCodec.KEY_BYTES]);
  private final Policy policy =
      new Policy(1, Optional.of(handles), new ExportTable(List.of(export)), ModelGateway.NUMBERS);
  private final Gatekeeper gate = new Gatekeeper(() -> policy);
  private final RpcCall call =
      new RpcCall(
          1,
          Nfs3.PROGRAM,
          Nfs3.VERSION,
          0,
          new RpcCredential.Sys(0, "client", 0, 0, List.of()),
          new InetSocketAddress(InetAddress.getLoopbackAddress(), 700),
          new InetSocketAddress(InetAddress.getLoopbackAddress(), 2_049),
          CallMark.NONE);

  private int asked;

  private FileService counted() {
    return (FileService)
        Proxy.newProxyInstance(
            FileService.class.getClassLoader(),
            new Class<?>[] {FileService.class},
            (proxy, method, arguments) -> {
              if (!method.getName().equals("limits")) {
                asked++;
              }
              try {
                return method.invoke(files, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  @Test
  void onlyNonIdempotentChangesReachTheFileServiceDuringAnOutage() throws Exception {
    RandomArguments some =
        new RandomArguments(new Random(5), () -> gate.handle(export, files.root()));
    Map<Integer, RpcProcedure> procedures = new Nfs3(counted(), gate).procedures();
    Set<Integer> changes = new TreeSet<>();
    for (Map.Entry<Integer, RpcProcedure> each : procedures.entrySet()) {
      int number = each.getKey();
      boolean isChange = each.getValue().repeats() == Repeats.ANSWERED_AS_THE_FIRST;
      asked = 0;
      for (int i = 0; i < TRIES; i++) {
        OncReply reply =
            each.getValue()
                .read(XdrReader.of(some.of(number)))
                .run(call)
                .toCompletableFuture()
                .join();
        int status = ByteBuffer.wrap(XdrWriter.bytes(reply::write)).getInt();
        if (isChange) {
          assertNotEquals(Nfs3Client.JUKEBOX, status, "procedure " + number);
        } else {
          assertEquals(Nfs3Client.JUKEBOX, status, "procedure " + number);
        }
      }
      assertEquals(isChange, asked > 0, "procedure " + number + " asked " + asked + " times");
      if (isChange) {
        changes.add(number);
      }
    }
    assertEquals(new TreeSet<>(CHANGES), changes);
    assertTrue(files.unreleased() == 0, "bytes of a WRITE are held");
  }
}
