package org.weft.metadata.volume;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.weft.metadata.volume.operation.attributes.GetAttributes;
import org.weft.metadata.volume.operation.name.CreateFile;
import org.weft.metadata.volume.operation.name.Rename;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.wire.LayoutMessage;

/**
 * What POSIX refuses, and with which error.
 *
 * <pre>
 *   /dir        weft    0755   with /dir/file (0644, 10 bytes) and /dir/sub
 *   /dir/sub    weft    0755   with /dir/sub/inner
 *   /empty      weft    0755
 *   /private    weft    0700   with /private/secret
 *   /tmp        weft    1777   with /tmp/alices, /tmp/alicesdir
 *   /shared     alice:team 0775
 *   /readonly   alice   0555   with /readonly/old
 *   /hanging, /loop, /todir, /tof, /tosecret: symbolic links
 *   /listonly   weft    0744, /passonly weft 0711 with /passonly/open (0644)
 * </pre>
 */
class PosixErrorsTest {
  @FunctionalInterface
  private interface Attempt {
    void run(Actors actors) throws WeftException;
  }

  private record Actors(TestClient weft, TestClient alice, TestClient bob) {}

  private static Arguments refused(ErrorCode code, String what, Attempt attempt) {
    return Arguments.of(code, what, attempt);
  }

  static Stream<Arguments> refusals() {
    return Stream.of(
            lookups(),
            creations(),
            directories(),
            links(),
            renames(),
            removals(),
            permissions(),
            owners())
        .flatMap(List::stream);
  }

  private static List<Arguments> lookups() {
    return List.of(
        refused(ErrorCode.NOT_FOUND, "stat of nothing", a -> a.weft.attributes("/nothing")),
        refused(ErrorCode.NOT_FOUND, "stat below nothing", a -> a.weft.attributes("/no/thing")),
        refused(
            ErrorCode.NOT_DIRECTORY, "stat below a file", a -> a.weft.attributes("/dir/file/x")),
        refused(ErrorCode.NOT_FOUND, "open of nothing", a -> a.weft.open("/nothing")),
        refused(ErrorCode.IS_DIRECTORY, "open of a directory", a -> a.weft.open("/dir")),
        refused(
            ErrorCode.IS_DIRECTORY, "open of a directory for writing", a -> a.weft.update("/dir")),
        refused(ErrorCode.NOT_FOUND, "open of nothing for writing", a -> a.weft.update("/nothing")),
        refused(ErrorCode.NOT_DIRECTORY, "listing of a file", a -> a.weft.list("/dir/file", 10)),
        refused(
            ErrorCode.NOT_FOUND,
            "stat by an id that no node has",
            a -> a.weft.execute(new GetAttributes(a.weft.byId(4711)))));
  }

  private static List<Arguments> creations() {
    return List.of(
        refused(ErrorCode.EXISTS, "create over a file", a -> a.weft.create("/dir/file")),
        refused(ErrorCode.EXISTS, "create over a directory", a -> a.weft.create("/dir")),
        refused(
            ErrorCode.IS_DIRECTORY,
            "overwrite of a directory",
            a -> a.weft.create("/dir", 0644, 0, true, false)),
        refused(ErrorCode.NOT_FOUND, "create below nothing", a -> a.weft.create("/no/thing")),
        refused(ErrorCode.NOT_DIRECTORY, "create below a file", a -> a.weft.create("/dir/file/x")),
        refused(
            ErrorCode.NOT_DIRECTORY,
            "create with parents below a file",
            a -> a.weft.create("/dir/file/x/y", 0644, 0, false, true)),
        refused(ErrorCode.INVALID_ARGUMENT, "create of the root", a -> a.weft.create("/")),
        refused(
            ErrorCode.INVALID_ARGUMENT,
            "more parity than the volume takes",
            a ->
                a.weft.execute(
                    new CreateFile(TestClient.path("/wide"), 0644, 0, false, false, layout(2, 3)))),
        refused(
            ErrorCode.INVALID_ARGUMENT,
            "wider than the BladeSet",
            a ->
                a.weft.execute(
                    new CreateFile(
                        TestClient.path("/wide"), 0644, 0, false, false, layout(9, 1)))));
  }

  private static Optional<LayoutMessage> layout(int data, int parity) {
    return Optional.of(
        LayoutMessage.newBuilder().setDataUnits(data).setParityUnits(parity).build());
  }

  private static List<Arguments> directories() {
    return List.of(
        refused(ErrorCode.EXISTS, "mkdir of a directory", a -> a.weft.mkdir("/dir")),
        refused(ErrorCode.EXISTS, "mkdir of a file", a -> a.weft.mkdir("/dir/file")),
        refused(
            ErrorCode.EXISTS, "mkdir -p of a file", a -> a.weft.mkdir("/dir/file", 0777, 0, true)),
        refused(ErrorCode.EXISTS, "mkdir of the root", a -> a.weft.mkdir("/")),
        refused(ErrorCode.NOT_FOUND, "mkdir below nothing", a -> a.weft.mkdir("/no/thing")),
        refused(ErrorCode.NOT_DIRECTORY, "mkdir below a file", a -> a.weft.mkdir("/dir/file/x")));
  }

  private static List<Arguments> links() {
    return List.of(
        refused(ErrorCode.EXISTS, "symlink over a file", a -> a.weft.symlink("x", "/dir/file")),
        refused(ErrorCode.NOT_FOUND, "symlink below nothing", a -> a.weft.symlink("x", "/no/l")),
        refused(ErrorCode.INVALID_ARGUMENT, "symlink at the root", a -> a.weft.symlink("x", "/")),
        refused(
            ErrorCode.PERMISSION_DENIED, "symlink without w", a -> a.bob.symlink("x", "/dir/l")),
        refused(ErrorCode.NOT_FOUND, "what a dangling link leads to", a -> a.weft.open("/hanging")),
        refused(ErrorCode.EXISTS, "create at a dangling link", a -> a.weft.create("/hanging")),
        refused(ErrorCode.EXISTS, "mkdir at a dangling link", a -> a.weft.mkdir("/hanging")),
        refused(ErrorCode.LOOP, "a link to itself", a -> a.weft.attributes("/loop/x")),
        refused(
            ErrorCode.IS_DIRECTORY,
            "overwrite through a link to a directory",
            a -> a.weft.create("/todir", 0644, 0, true, false)),
        refused(ErrorCode.NOT_DIRECTORY, "rmdir of a link", a -> a.weft.rmdir("/todir")),
        refused(
            ErrorCode.NOT_DIRECTORY, "a path through a link to a file", a -> a.weft.open("/tof/x")),
        refused(
            ErrorCode.PERMISSION_DENIED,
            "a path through a link to where one may not",
            a -> a.bob.attributes("/tosecret")),
        refused(ErrorCode.IS_DIRECTORY, "link of a directory", a -> a.weft.link("/dir", "/x")),
        refused(ErrorCode.EXISTS, "link over a link", a -> a.weft.link("/dir/file", "/hanging")),
        refused(ErrorCode.NOT_FOUND, "link of nothing", a -> a.weft.link("/nothing", "/x")),
        refused(
            ErrorCode.PERMISSION_DENIED, "link without w", a -> a.bob.link("/tmp/bobs", "/dir/x")),
        refused(
            ErrorCode.PERMISSION_DENIED,
            "xattr of another's sticky directory",
            a -> a.bob.setXattr("/tmp", "user.x", "1")),
        refused(
            ErrorCode.PERMISSION_DENIED,
            "xattr without w",
            a -> a.bob.setXattr("/dir/file", "user.x", "1")),
        refused(
            ErrorCode.NOT_FOUND,
            "removing an xattr that is not there",
            a -> a.weft.removeXattr("/dir/file", "user.x")),
        refused(
            ErrorCode.PERMISSION_DENIED, "layout of another's", a -> a.bob.layout("/tmp", null)),
        refused(ErrorCode.NOT_DIRECTORY, "layout of a file", a -> a.weft.layout("/tof", null)));
  }

  private static List<Arguments> renames() {
    return List.of(
        refused(ErrorCode.NOT_FOUND, "rename of nothing", a -> a.weft.rename("/nothing", "/x")),
        refused(
            ErrorCode.NOT_FOUND, "rename to below nothing", a -> a.weft.rename("/dir", "/no/x")),
        refused(
            ErrorCode.INVALID_ARGUMENT,
            "rename into itself",
            a -> a.weft.rename("/dir", "/dir/sub/x")),
        refused(
            ErrorCode.INVALID_ARGUMENT,
            "rename directly into itself",
            a -> a.weft.rename("/dir", "/dir/x")),
        refused(
            ErrorCode.IS_DIRECTORY,
            "file over directory",
            a -> a.weft.rename("/dir/file", "/empty")),
        refused(
            ErrorCode.NOT_DIRECTORY,
            "directory over file",
            a -> a.weft.rename("/empty", "/dir/file")),
        refused(
            ErrorCode.NOT_EMPTY,
            "directory over one that is not empty",
            a -> a.weft.rename("/empty", "/dir")),
        refused(
            ErrorCode.NOT_EMPTY,
            "directory over its parent",
            a -> a.weft.rename("/dir/sub", "/dir")),
        refused(
            ErrorCode.EXISTS,
            "rename without replace",
            a ->
                a.weft.execute(
                    new Rename(
                        TestClient.path("/dir/file"), TestClient.path("/dir/sub/inner"), false))),
        refused(ErrorCode.INVALID_ARGUMENT, "rename of the root", a -> a.weft.rename("/", "/x")),
        refused(
            ErrorCode.INVALID_ARGUMENT, "rename over the root", a -> a.weft.rename("/dir", "/")));
  }

  private static List<Arguments> removals() {
    return List.of(
        refused(ErrorCode.NOT_FOUND, "unlink of nothing", a -> a.weft.unlink("/nothing")),
        refused(ErrorCode.IS_DIRECTORY, "unlink of a directory", a -> a.weft.unlink("/empty")),
        refused(ErrorCode.IS_DIRECTORY, "unlink of the root", a -> a.weft.unlink("/")),
        refused(ErrorCode.NOT_FOUND, "rmdir of nothing", a -> a.weft.rmdir("/nothing")),
        refused(ErrorCode.NOT_DIRECTORY, "rmdir of a file", a -> a.weft.rmdir("/dir/file")),
        refused(ErrorCode.NOT_EMPTY, "rmdir of a full one", a -> a.weft.rmdir("/dir")),
        refused(ErrorCode.INVALID_ARGUMENT, "rmdir of the root", a -> a.weft.rmdir("/")));
  }

  private static List<Arguments> permissions() {
    ErrorCode denied = ErrorCode.PERMISSION_DENIED;
    return List.of(
        refused(denied, "passing without x", a -> a.bob.attributes("/private/secret")),
        refused(denied, "listing without r", a -> a.bob.list("/passonly", 10)),
        refused(denied, "passing what may only be listed", a -> a.bob.attributes("/listonly/x")),
        refused(denied, "create without w", a -> a.bob.create("/dir/bobs")),
        refused(denied, "create in the root", a -> a.bob.create("/bobs")),
        refused(denied, "mkdir without w", a -> a.bob.mkdir("/dir/bobs")),
        refused(denied, "mkdir -p without w", a -> a.bob.mkdir("/dir/x/y/z", 0777, 0, true)),
        refused(denied, "unlink without w", a -> a.bob.unlink("/dir/file")),
        refused(denied, "rmdir without w", a -> a.bob.rmdir("/dir/sub")),
        refused(denied, "rename away without w", a -> a.bob.rename("/dir/file", "/tmp/f")),
        refused(denied, "rename to where one may not", a -> a.bob.rename("/tmp/bobs", "/dir/b")),
        refused(denied, "sticky: another's file", a -> a.bob.unlink("/tmp/alices")),
        refused(denied, "sticky: another's directory", a -> a.bob.rmdir("/tmp/alicesdir")),
        refused(denied, "sticky: rename of another's", a -> a.bob.rename("/tmp/alices", "/tmp/b")),
        refused(
            denied, "sticky: replacing another's", a -> a.bob.rename("/tmp/bobs", "/tmp/alices")),
        refused(
            denied,
            "sticky: overwriting another's",
            a -> a.bob.create("/tmp/alices", 0644, 0, true, false)),
        refused(denied, "read without r", a -> a.bob.open("/tmp/alices")),
        refused(denied, "the owner's own bits count first", a -> a.alice.create("/readonly/x")));
  }

  private static List<Arguments> owners() {
    ErrorCode denied = ErrorCode.PERMISSION_DENIED;
    return List.of(
        refused(denied, "chmod of another's", a -> a.bob.chmod("/tmp/alices", 0777)),
        refused(denied, "giving away one's own", a -> a.alice.chown("/tmp/alices", "bob", null)),
        refused(denied, "a group one is not in", a -> a.alice.chown("/tmp/alices", null, "staff")),
        refused(denied, "group of another's", a -> a.bob.chown("/tmp/alices", null, "bobs")),
        refused(
            ErrorCode.INVALID_ARGUMENT,
            "a mode of too many bits",
            a -> a.weft.chmod("/dir", 0100000)));
  }

  @ParameterizedTest(name = "{0}: {1}")
  @MethodSource("refusals")
  void forbiddenOperationIsRefusedWithoutEffect(ErrorCode expected, String what, Attempt attempt)
      throws WeftException {
    TestVolume volume = TestVolume.formatted(1);
    Actors actors = furnish(volume);
    int recordsBefore = volume.records().size();
    WeftException refusal = assertThrows(WeftException.class, () -> attempt.run(actors), what);
    assertEquals(expected, refusal.code(), refusal.getMessage());
    assertFalse(refusal.getMessage().isBlank());
    assertEquals(recordsBefore, volume.records().size(), "a refusal leaves no record");
  }

  @Test
  void refusedOperationsSucceedForAllowedUsers() throws WeftException {
    Actors a = furnish(TestVolume.formatted(1));
    a.alice.unlink("/tmp/alices");
    a.weft.rmdir("/tmp/alicesdir");
    a.bob.open("/passonly/open");
    assertEquals(List.of(), a.bob.names("/listonly"));
    a.alice.chown("/shared", null, "team");
    a.alice.create("/shared/x");
    a.weft.rename("/empty", "/dir/sub/moved");
    a.weft.chown("/dir/file", "bob", "bobs");
    a.bob.chmod("/dir/file", 0600);
    a.weft.create("/private/new");
  }

  private static Actors furnish(TestVolume volume) throws WeftException {
    TestClient weft = volume.superuser();
    TestClient alice = volume.client("alice", "alices", "team");
    TestClient bob = volume.client("bob", "bobs");
    weft.mkdir("/dir");
    weft.write("/dir/file", 10);
    weft.mkdir("/dir/sub");
    weft.write("/dir/sub/inner", 1);
    weft.mkdir("/empty");
    weft.mkdir("/private", 0700, 0, false);
    weft.write("/private/secret", 1);
    weft.mkdir("/tmp", 01777, 0, false);
    alice.close(alice.create("/tmp/alices", 0620, 0, false, false), 5);
    alice.mkdir("/tmp/alicesdir", 0777, 0, false);
    bob.write("/tmp/bobs", 5);
    weft.mkdir("/shared", 0775, 0, false);
    weft.chown("/shared", "alice", "team");
    weft.mkdir("/readonly");
    weft.write("/readonly/old", 1);
    weft.chown("/readonly", "alice", "alices");
    weft.chmod("/readonly", 0577);
    weft.mkdir("/listonly", 0744, 0, false);
    weft.mkdir("/passonly", 0711, 0, false);
    weft.write("/passonly/open", 1);
    weft.symlink("nowhere", "/hanging");
    weft.symlink("loop", "/loop");
    weft.symlink("dir", "/todir");
    weft.symlink("/dir/file", "/tof");
    weft.symlink("private/secret", "/tosecret");
    return new Actors(weft, alice, bob);
  }
}
