package org.weft.engines;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;

/**
 * Kills an OSD and the manager that serves the root volume, by the pid files of the cluster's
 * quickstart. It starts the manager again as an operator would. The OSD stays away.
 */
final class Faults {
  private static final String OSD = "osd-2";
  private static final String MAIN_CLASS = "org.weft.cli.WeftCommand";

  private final Path launcher;
  private final String contacts;
  private final Path data;

  Faults(Path launcher, String contacts, Path data) {
    this.launcher = launcher;
    this.contacts = contacts;
    this.data = data;
  }

  /** Faults that are under way on a thread of their own. */
  static final class Strike implements AutoCloseable {
    private final FutureTask<String> task;
    private final Thread thread;

    private Strike(FutureTask<String> task) {
      this.task = task;
      this.thread = new Thread(task, "faults");
      thread.setDaemon(true);
      thread.start();
    }

    /** The OSD is dead, and the manager is up again. */
    boolean isOver() {
      return task.isDone();
    }

    /** What was done; waits for its end. */
    String story() throws Exception {
      try {
        return task.get();
      } catch (ExecutionException e) {
        throw new IOException("the faults did not work", e.getCause());
      }
    }

    /** Asks it to stop, if the work has failed meanwhile. */
    @Override
    public void close() {
      thread.interrupt();
    }
  }

  /** Begins at once. */
  Strike strike() {
    return new Strike(new FutureTask<>(this::killAndRestart));
  }

  private String killAndRestart() throws Exception {
    kill(running(OSD));
    int primary = primary();
    String manager = "manager-" + primary;
    ProcessHandle victim = running(manager);
    List<String> command = commandOf(victim);
    kill(victim);
    // Another one serves; the client of the job has to find it out, too.
    weft("fs", "stat", "/");
    ProcessBuilder again = new ProcessBuilder(command).redirectErrorStream(true);
    again.redirectOutput(
        ProcessBuilder.Redirect.appendTo(data.resolve("log/" + manager + ".again").toFile()));
    Files.createDirectories(data.resolve("log"));
    Process started = again.redirectInput(new File("/dev/null")).start();
    writePid(manager, started.pid());
    awaitUp(primary, started);
    return OSD + " was killed, " + manager + " was killed and runs again";
  }

  private ProcessHandle running(String daemon) throws IOException {
    Path file = data.resolve("run/" + daemon + ".pid");
    long pid = Long.parseLong(Files.readString(file).trim());
    String commandLine = Files.readString(Path.of("/proc", Long.toString(pid), "cmdline"));
    Run.require(
        commandLine.contains(data.toString()), file + " does not name a process of this cluster");
    return ProcessHandle.of(pid).orElseThrow();
  }

  private static void kill(ProcessHandle process) throws Exception {
    process.destroyForcibly();
    process.onExit().get(1, TimeUnit.MINUTES);
  }

  /** The launcher with what it was given. */
  private List<String> commandOf(ProcessHandle process) throws IOException {
    Path file = Path.of("/proc", Long.toString(process.pid()), "cmdline");
    List<String> words = List.of(Files.readString(file, StandardCharsets.UTF_8).split("\0"));
    List<String> command = new ArrayList<>(List.of(launcher.toString()));
    command.addAll(words.subList(words.indexOf(MAIN_CLASS) + 1, words.size()));
    return command;
  }

  private void writePid(String daemon, long pid) throws IOException {
    Path file = data.resolve("run/" + daemon + ".pid");
    Path fresh = Files.writeString(file.resolveSibling(daemon + ".pid.new"), pid + "\n");
    Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
  }

  private int primary() throws Exception {
    for (JsonNode volume : weft("volume", "list").get("volumes")) {
      if (volume.get("path").asText().equals("/")) {
        return volume.get("managerId").asInt();
      }
    }
    throw new IOException("weft volume list shows no volume /");
  }

  private void awaitUp(int manager, Process process) throws Exception {
    Run.await(
        () -> "manager-" + manager + " was started again and is not up",
        () -> {
          Run.require(
              process.isAlive(), "manager-" + manager + " ended; see " + data.resolve("log"));
          return isUp(manager);
        });
  }

  private boolean isUp(int manager) throws Exception {
    for (JsonNode each : weft("status").get("table").get("managers")) {
      if (each.get("id").asInt() == manager) {
        return each.get("state").asText().equals("UP");
      }
    }
    return false;
  }

  private JsonNode weft(String... words) throws Exception {
    List<String> command = new ArrayList<>(List.of(launcher.toString()));
    command.addAll(List.of(words));
    command.addAll(List.of("--json", "--cluster", contacts));
    Process process =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    byte[] printed = process.getInputStream().readAllBytes();
    // Status ends with another code where something is wrong, as an OSD that is down.
    process.waitFor();
    return new ObjectMapper().readTree(printed);
  }
}
