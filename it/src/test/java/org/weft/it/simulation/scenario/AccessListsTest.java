package org.weft.it.simulation.scenario;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.weft.client.AclStatus;
import org.weft.client.WeftPath;
import org.weft.client.ids.AttributesWish;
import org.weft.client.ids.CreateWish;
import org.weft.client.ids.FilesById;
import org.weft.client.ids.NodeAttributes;
import org.weft.client.ids.NodeId;
import org.weft.client.ids.OnBehalfOf;
import org.weft.client.ids.RequestBy;
import org.weft.client.ids.WriteStability;
import org.weft.protocol.acl.AclChange;
import org.weft.protocol.acl.AclEntry;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.rpc.Payload;
import org.weft.simulator.node.ClientNode;
import org.weft.simulator.node.SimulatedManager;

/** Access control lists through managers and OSDs, for paths and for numbers (P 6.5d). */
class AccessListsTest {
  private static final WeftPath TOP = WeftPath.of("/project");
  private static final RequestBy ANN =
      RequestBy.caller(new OnBehalfOf("ann", List.of("makers"), false));
  private static final RequestBy BOB =
      RequestBy.caller(new OnBehalfOf("bob", List.of("audit"), false));

  private final Stage stage = Stage.boot();
  private ClientNode client;
  private FilesById files;
  private NodeId top;

  /** Scripts are also run without JUnit. */
  private void begin() throws WeftException {
    client = stage.client();
    files = stage.gateway().filesById();
    var unused = stage.call(client.files().withUmask(0).mkdir(TOP, 0777));
    top = stage.call(files.resolve(TOP.toString())).id();
  }

  private void modify(WeftPath path, String entries) throws WeftException {
    var unused =
        stage.call(
            client.files().changeAcl(path, AclChange.MODIFY, AclEntry.parseAll(entries, true)));
  }

  private String acl(WeftPath path) throws WeftException {
    AclStatus acl = stage.call(client.files().acl(path));
    return String.join(",", acl.entries().stream().map(AclEntry::toString).toList());
  }

  private void refused(CompletableFuture<?> call) {
    assertEquals(ErrorCode.PERMISSION_DENIED, stage.failureOf(call).code());
  }

  @Test
  void namedGroupReadsByNumberWithinTheMask() throws Exception {
    begin();
    NodeAttributes file =
        stage
            .call(files.create(ANN, top, "f", new CreateWish.Guarded(AttributesWish.ofMode(0640))))
            .node();
    var unused =
        stage.call(
            files.write(
                ANN,
                file.id(),
                0,
                Payload.of(ByteBuffer.wrap(new byte[100])),
                WriteStability.STABLE));
    WeftPath path = TOP.resolve("f");
    refused(files.read(BOB, file.id(), 0, 10));
    modify(path, "group:audit:r--");
    stage.call(files.read(BOB, file.id(), 0, 10)).bytes().release();
    refused(
        files.write(
            BOB, file.id(), 0, Payload.of(ByteBuffer.wrap(new byte[1])), WriteStability.STABLE));
    modify(path, "mask::-w-");
    assertEquals("user::rw-,group::r--,group:audit:r--,mask::-w-,other::---", acl(path));
    refused(files.read(BOB, file.id(), 0, 10));
  }

  @Test
  void listsSurviveARenameAndAManagerThatIsKilled() throws Exception {
    begin();
    modify(TOP, "default:group:audit:r-x,default:other::---");
    var unused = stage.call(client.files().mkdir(TOP.resolve("sub"), 0777));
    WeftPath moved = WeftPath.of("/moved");
    stage.call(client.files().rename(TOP.resolve("sub"), moved, false));
    String access = "user::rwx,group::rwx,group:audit:r-x,mask::rwx,other::---";
    String both = access + ",default:" + access.replace(",", ",default:");
    assertEquals(both, acl(moved));
    for (int round = 0; round < 2; round++) {
      SimulatedManager manager = stage.world().managers().get(0);
      manager.kill();
      manager.start();
      assertEquals(both, acl(moved));
      NodeId number = stage.call(files.resolve(moved.toString())).id();
      assertTrue(stage.call(files.list(BOB, number, 0, 10, true)).entries().isEmpty());
      // Everything is flushed: the next manager reads it from the OSDs.
      stage.world().pass(60_000);
    }
    var unusedToo = stage.call(client.files().mkdir(moved.resolve("below"), 0777));
    assertEquals(both, acl(moved.resolve("below")));
  }
}
