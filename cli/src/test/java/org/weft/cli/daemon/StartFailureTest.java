package org.weft.cli.daemon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.cli.WeftCommand;
import org.weft.cli.output.CommandFailure;
import org.weft.cli.output.ExitCode;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.system.SystemEnvironment;
import org.weft.sysmgr.SysmgrDaemon;
import org.weft.sysmgr.SysmgrOptions;
import picocli.CommandLine;

/** Starts on machines that are not in order. Those on real mounts are skipped without root. */
class StartFailureTest {
  private static final int COMMAND_SECONDS = 30;

  @TempDir Path directory;
  private Path mounted;

  @AfterEach
  void unmount() throws Exception {
    if (mounted != null) {
      assertEquals("", run("umount", mounted.toString()));
    }
  }

  /** Empty, or why it failed. */
  private static String run(String... command) throws InterruptedException {
    try {
      Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
      String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertTrue(process.waitFor(COMMAND_SECONDS, TimeUnit.SECONDS), command[0] + " ends");
      return process.exitValue() == 0 ? "" : command[0] + ": " + said.trim();
    } catch (IOException e) {
      return e.toString();
    }
  }

  private void mount(String options) throws Exception {
    Path disk = Files.createDirectories(directory.resolve("disk"));
    String why = run("mount", "-t", "tmpfs", "-o", options, "tmpfs", disk.toString());
    assumeTrue(why.isEmpty(), "nothing can be mounted here: " + why);
    mounted = disk;
  }

  private void fill() {
    try (OutputStream filler = Files.newOutputStream(mounted.resolve("filler"))) {
      byte[] block = new byte[4096];
      while (true) {
        filler.write(block);
      }
    } catch (IOException e) {
      assertTrue(e.getMessage().contains("No space left"), e::toString);
    }
  }

  private String startFails(String daemon, ExitCode code) throws Exception {
    Path token = Files.writeString(directory.resolve("token"), "0".repeat(64) + "\n");
    List<String> arguments =
        new ArrayList<>(List.of(daemon, "--data", mounted.resolve("data").toString()));
    if (daemon.equals("quickstart")) {
      arguments.addAll(List.of("--port-base", "17300"));
    } else {
      arguments.addAll(List.of("--listen", "127.0.0.1:0"));
      if (!daemon.equals("sysmgr")) {
        arguments.addAll(List.of("--set", "cluster.join-token-file=" + token));
      }
    }
    StringWriter said = new StringWriter();
    CommandLine weft = WeftCommand.commandLine().setErr(new PrintWriter(said));
    weft.setOut(new PrintWriter(new StringWriter()));
    assertEquals(code.number(), weft.execute(arguments.toArray(new String[0])), said::toString);
    String text = said.toString();
    assertEquals(1, text.lines().count(), text);
    assertTrue(text.contains(mounted.toString()), text);
    assertFalse(text.contains("Exception"), text);
    return text;
  }

  @ParameterizedTest
  @ValueSource(strings = {"osd", "manager", "sysmgr", "quickstart"})
  void fullDiskIsNamedInOneSentence(String daemon) throws Exception {
    mount("size=256k");
    fill();
    String text = startFails(daemon, ExitCode.NO_SPACE);
    assertTrue(text.contains("is full"), text);
    assertTrue(text.contains("make room"), text);
  }

  @ParameterizedTest
  @ValueSource(strings = {"osd", "manager", "sysmgr", "quickstart"})
  void readOnlyDiskIsNamedInOneSentence(String daemon) throws Exception {
    mount("size=256k,ro");
    String text = startFails(daemon, ExitCode.PERMISSION_DENIED);
    assertTrue(text.contains("is mounted read-only"), text);
  }

  @Test
  void fullDiskUnderAMemberThatRanBeforeIsNamed() throws Exception {
    mount("size=20m");
    Endpoint any = new Endpoint("127.0.0.1", 0);
    try (SystemEnvironment system = SystemEnvironment.create()) {
      SysmgrDaemon.start(
              SysmgrOptions.single(mounted.resolve("data"), any, any, any, "weft", "root"),
              system.environment())
          .close();
    }
    fill();
    String text = startFails("sysmgr", ExitCode.NO_SPACE);
    assertTrue(text.contains("is full"), text);
  }

  @Test
  void kernelMessageIsFoundBelowOtherFailures() {
    Exception failure = new IllegalStateException("cannot start");
    failure.addSuppressed(
        new CompletionException(new IOException("While appending: No space left on device")));
    Exception explained = StartFailure.explained(failure, Path.of("/d"));
    assertEquals(ExitCode.NO_SPACE, ExitCode.of(explained));
    assertTrue(explained.getMessage().contains("/d is full"), explained::toString);
    assertSame(failure, explained.getCause());
  }

  @Test
  void tooManyOpenFilesNamesTheLimit() {
    Exception failure = new IllegalStateException(new IOException("Too many open files"));
    Exception explained = StartFailure.explained(failure, Path.of("/d"));
    assertTrue(explained.getMessage().contains("ulimit -n"), explained::toString);
  }

  @Test
  void directoryThatMayNotBeEnteredIsNamed() {
    Exception explained =
        StartFailure.explained(new AccessDeniedException("/d/lock"), Path.of("/d"));
    assertEquals(ExitCode.PERMISSION_DENIED, ExitCode.of(explained));
    assertTrue(
        explained.getMessage().startsWith("/d/lock: permission denied"), explained::toString);
  }

  @Test
  void otherFailuresStayWhatTheyAre() {
    Exception defect = new IllegalStateException("a defect");
    assertSame(defect, StartFailure.explained(defect, Path.of("/d")));
  }

  @Test
  void tooFewDescriptorsAreRefusedWithBothNumbers() {
    CommandFailure refused =
        assertThrows(
            CommandFailure.class, () -> StartFailure.requireDescriptors(Integer.MAX_VALUE));
    assertTrue(refused.getMessage().contains("2147483647"), refused::getMessage);
    StartFailure.requireDescriptors(1);
  }
}
