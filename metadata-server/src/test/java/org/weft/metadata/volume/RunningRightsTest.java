package org.weft.metadata.volume;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.weft.metadata.acl.Credentials;
import org.weft.metadata.attributes.NodeKind;
import org.weft.metadata.volume.TestClient.Held;
import org.weft.metadata.volume.operation.number.MakeNode;
import org.weft.metadata.volume.operation.number.NodeWish;
import org.weft.metadata.volume.operation.number.OpenNode;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.wire.FileAttributes;

/**
 * A file runs with the rights of its owner or group only as these made it. Only the superuser may
 * make devices (P 6.5c.8.32 to 8.36).
 */
class RunningRightsTest {
  private static final long TOP = ObjectId.ROOT.value();
  private static final int MARKED = 06777;
  private static final int LOCKING = 06767;
  private static final Credentials ANN = new Credentials("ann", List.of("makers"), false);
  private static final Credentials BOB = new Credentials("bob", List.of("users"), false);

  private TestVolume volume;
  private NumberedClient root;
  private NumberedClient ann;
  private NumberedClient bob;

  @BeforeEach
  void aTrustedSession() throws WeftException {
    volume = TestVolume.formatted(3);
    root = new NumberedClient(volume.trustedClient("gateway"), NumberedClient.ROOT);
    ann = root.as(ANN);
    bob = root.as(BOB);
    root.set(TOP, NumberedClient.mode(0777), OptionalLong.empty());
  }

  private static NodeWish wish(
      OptionalInt mode, Optional<String> owner, Optional<String> group, OptionalLong sizeBytes) {
    return new NodeWish(
        mode, owner, group, OptionalLong.empty(), OptionalLong.empty(), false, false, sizeBytes);
  }

  private static NodeWish size(long bytes) {
    return wish(OptionalInt.empty(), Optional.empty(), Optional.empty(), OptionalLong.of(bytes));
  }

  private static NodeWish group(String name) {
    return wish(OptionalInt.empty(), Optional.empty(), Optional.of(name), OptionalLong.empty());
  }

  /** Ann's, with that mode. */
  private long file(String name, int mode) throws WeftException {
    return ann.make(TOP, name, NodeKind.FILE, NumberedClient.mode(mode))
        .getNode()
        .getAfter()
        .getObjectId();
  }

  private static long ctime(FileAttributes node) {
    return node.getCtimeMillis() * 1_000_000 + node.getCtimeNanos();
  }

  @Test
  void ownerChangeClearsSetuidEvenForTheSuperuser() throws WeftException {
    long file = file("f", MARKED);
    root.set(file, NumberedClient.owner("root"), OptionalLong.empty());
    assertEquals(0777, root.look(file).getMode(), "it would run with the rights of root");
    long second = file("g", MARKED);
    root.set(second, group("users"), OptionalLong.empty());
    assertEquals(0777, root.look(second).getMode());
    long third = file("h", 0644);
    root.set(
        third,
        wish(OptionalInt.of(MARKED), Optional.of("root"), Optional.empty(), OptionalLong.empty()),
        OptionalLong.empty());
    assertEquals(0777, root.look(third).getMode(), "also where the same request sets the mode");
  }

  @Test
  void theMarkOfMandatoryLocksAndThatOfADirectoryStay() throws WeftException {
    long file = file("f", LOCKING);
    root.set(file, NumberedClient.owner("root"), OptionalLong.empty());
    assertEquals(02767, root.look(file).getMode());
    long directory =
        root.make(TOP, "d", NodeKind.DIRECTORY, NumberedClient.mode(02755))
            .getNode()
            .getAfter()
            .getObjectId();
    root.set(directory, NumberedClient.owner("ann"), OptionalLong.empty());
    assertEquals(02755, root.look(directory).getMode());
  }

  @Test
  void superusersChownByPathClearsSetuid() throws WeftException {
    long file = file("f", MARKED);
    volume.superuser().chown("/f", "root", "root");
    assertEquals(0777, root.look(file).getMode());
  }

  @Test
  void setLengthClearsSetuidUnlessBySuperuser() throws WeftException {
    long file = file("f", MARKED);
    FileAttributes before = root.look(file);
    root.set(file, size(7), OptionalLong.empty());
    assertEquals(before, root.look(file));
    FileAttributes after = bob.set(file, size(7), OptionalLong.empty()).getNode().getAfter();
    assertEquals(0777, after.getMode());
    assertTrue(ctime(after) > ctime(before), "ctime tells clients");
    assertEquals(before.getSize(), after.getSize(), "the length is set by another request");
    assertEquals(after, root.look(file));
    bob.set(file, size(7), OptionalLong.empty());
    assertEquals(after, root.look(file), "nothing is left to be taken");
    long own = file("g", LOCKING);
    ann.set(own, size(0), OptionalLong.empty());
    assertEquals(02767, root.look(own).getMode());
  }

  @Test
  void userWithoutWritePermissionClearsNoSetuid() throws WeftException {
    long file = file("f", 06755);
    WeftException refused =
        assertThrows(WeftException.class, () -> bob.set(file, size(0), OptionalLong.empty()));
    assertEquals(ErrorCode.PERMISSION_DENIED, refused.code());
    assertEquals(06755, root.look(file).getMode());
  }

  @Test
  void createThatCutsAFileTakesIt() throws WeftException {
    long file = file("f", MARKED);
    MakeNode.Mode unchecked = MakeNode.Mode.UNCHECKED;
    bob.make(TOP, "f", NodeKind.FILE, unchecked, NodeWish.NOTHING, 0);
    assertEquals(MARKED, root.look(file).getMode(), "nothing is written");
    FileAttributes told =
        bob.make(TOP, "f", NodeKind.FILE, unchecked, size(0), 0).getNode().getAfter();
    assertEquals(0777, told.getMode());
    assertEquals(told, root.look(file));
  }

  @Test
  void writeGrantByPathClearsSetuidAndAGatewaysDoesNot() throws WeftException {
    long file = file("f", MARKED);
    root.client().execute(new OpenNode(new ObjectId(file), true, true));
    assertEquals(MARKED, root.look(file).getMode(), "it serves many users");
    long second = file("g", MARKED);
    TestClient superuser = volume.superuser();
    superuser.close(Held.of(superuser.update("/g")), 0, 0);
    assertEquals(MARKED, root.look(second).getMode());
    TestClient writer = volume.client("bob", "users");
    FileAttributes granted = writer.update("/g").getAttributes();
    assertEquals(0777, granted.getMode());
    assertEquals(0777, root.look(second).getMode());
    TestVolume next = volume.restarted();
    NumberedClient again = new NumberedClient(next.trustedClient("other"), NumberedClient.ROOT);
    assertEquals(0777, again.lookUp(TOP, "g").getNode().getAfter().getMode());
  }

  @ParameterizedTest
  @EnumSource(
      value = NodeKind.class,
      names = {"BLOCK_DEVICE", "CHARACTER_DEVICE"})
  void onlyTheSuperuserMakesDevices(NodeKind kind) throws WeftException {
    WeftException refused =
        assertThrows(
            WeftException.class, () -> ann.make(TOP, "dev", kind, NumberedClient.mode(0666)));
    assertEquals(ErrorCode.NOT_OWNER, refused.code());
    root.make(TOP, "dev", kind, NumberedClient.mode(0666));
    WeftException there =
        assertThrows(
            WeftException.class, () -> ann.make(TOP, "dev", kind, NumberedClient.mode(0666)));
    assertEquals(ErrorCode.EXISTS, there.code());
  }

  @ParameterizedTest
  @EnumSource(
      value = NodeKind.class,
      names = {"FIFO", "SOCKET"})
  void anyUserMakesTheOtherSpecialFiles(NodeKind kind) throws WeftException {
    assertEquals(
        "ann", ann.make(TOP, "s", kind, NumberedClient.mode(0666)).getNode().getAfter().getOwner());
  }
}
