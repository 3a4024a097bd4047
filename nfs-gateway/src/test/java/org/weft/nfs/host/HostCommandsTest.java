package org.weft.nfs.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.weft.protocol.system.SystemEnvironment;

/** The programs of this host, and programs in their place. */
class HostCommandsTest {
  private static final int LIMIT_MILLIS = 300;

  @TempDir Path folder;

  private final SystemEnvironment system = SystemEnvironment.create();

  @AfterEach
  void stop() {
    system.close();
  }

  private String program(String name, String body) throws IOException {
    Path program = folder.resolve(name);
    Files.writeString(program, "#!/bin/sh\n" + body + "\n");
    Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwxr-xr-x"));
    return program.toString();
  }

  private HostCommands host(String getent, String id) throws IOException {
    return new HostCommands(
        system.environment().scheduler(),
        program("getent", getent),
        program("id", id),
        LIMIT_MILLIS);
  }

  @Test
  void thisHostKnowsItsRoot() throws IOException {
    HostCommands host = new HostCommands(system.environment().scheduler());
    assertEquals(Optional.of("root"), host.userName(0));
    assertEquals(Optional.of(0), host.userNumber("root"));
    assertEquals(Optional.of("root"), host.groupName(0));
    assertEquals(Optional.of(0), host.groupNumber("root"));
    assertTrue(host.groupsOf("root").contains(0));
    assertTrue(host.groupsOf("0").contains(0));
    assertEquals(Optional.empty(), host.userNumber("no-such-user-anywhere"));
    assertEquals(List.of(), host.groupsOf("no-such-user-anywhere"));
  }

  @Test
  void aUserIsInAsManyGroupsAsTheHostSays() throws IOException {
    StringBuilder groups = new StringBuilder("echo 1000");
    for (int gid = 5_000; gid < 5_300; gid++) {
      groups.append(' ').append(gid);
    }
    HostCommands host =
        host(
            "echo \"alice:x:1000:1000::/home/alice:/bin/sh\"",
            groups.append(" 4294967294").toString());
    List<Integer> of = host.groupsOf("alice");
    assertEquals(302, of.size());
    assertEquals(-2, of.get(301), "unsigned");
    assertEquals(of, host.groupsOf("1000"));
  }

  @Test
  void aLineOfAnotherOneIsNone() throws IOException {
    HostCommands host = host("echo \"alice:x:1000:1000::/:/bin/sh\"", "exit 1");
    assertEquals(Optional.empty(), host.userNumber("bob"));
    assertEquals(Optional.empty(), host.userName(1_001));
  }

  @Test
  void ambiguousNamesAreNotPassedToGetent() throws IOException {
    HostCommands host = host("touch " + folder.resolve("asked"), "exit 1");
    for (String name : List.of("", "1000", "-s", "a:b", "a/b", "a\nb", "x".repeat(256))) {
      assertEquals(Optional.empty(), host.userNumber(name), name);
      assertEquals(Optional.empty(), host.groupNumber(name), name);
    }
    assertEquals(List.of(), host.groupsOf("99999999999"));
    assertTrue(Files.notExists(folder.resolve("asked")));
  }

  @Test
  void aHostThatFailsIsNoHostThatDoesNotKnow() throws IOException {
    HostCommands broken = host("exit 3", "exit 1");
    assertThrows(IOException.class, () -> broken.userName(1_000));
    HostCommands noGroups = host("echo \"alice:x:1000:1000::/:/bin/sh\"", "exit 1");
    assertThrows(IOException.class, () -> noGroups.groupsOf("alice"));
    HostCommands garbage = host("echo nothing", "exit 1");
    assertThrows(IOException.class, () -> garbage.userName(1_000));
    HostCommands gone =
        new HostCommands(
            system.environment().scheduler(),
            folder.resolve("none").toString(),
            folder.resolve("none").toString(),
            LIMIT_MILLIS);
    assertThrows(IOException.class, () -> gone.userName(1_000));
  }

  @Test
  void aProgramThatDoesNotEndIsKilled() throws IOException {
    HostCommands host = host("exec tail -f /dev/null", "exit 1");
    IOException failure = assertThrows(IOException.class, () -> host.userName(1_000));
    assertTrue(failure.getMessage().contains("did not reply"), failure.getMessage());
  }

  @Test
  void anAnswerWithoutEndIsNone() throws IOException {
    HostCommands host = host("exec yes alice:x:1000", "exit 1");
    assertThrows(IOException.class, () -> host.userName(1_000));
  }
}
