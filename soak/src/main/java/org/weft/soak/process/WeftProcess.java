package org.weft.soak.process;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/** A {@code weft} command in a JVM of its own, with the class path of this test. */
public final class WeftProcess implements AutoCloseable {
  private static final long START_SECONDS = 300;
  private static final long STOP_SECONDS = 90;
  private static final String DEFAULT_HEAP = "-Xmx512m -XX:MaxDirectMemorySize=256m";
  private static final String SMALL_HEAP = "-Xmx192m -XX:MaxDirectMemorySize=96m";

  private final Process process;
  private final List<String> lines = new ArrayList<>();
  private final Thread reader;

  private WeftProcess(Process process) {
    this.process = process;
    this.reader = new Thread(this::read, "output of " + process.pid());
    reader.setDaemon(true);
    reader.start();
  }

  /**
   * Starts a command.
   *
   * @param scratch a directory for the launcher that {@code --processes} needs
   */
  public static WeftProcess start(Path scratch, String... arguments) throws IOException {
    return launch(launcher(scratch, DEFAULT_HEAP), arguments);
  }

  /**
   * Starts a cluster whose daemons all run in one process, and waits until it is ready. That takes
   * a fraction of the CPU of a {@link DaemonCluster}: it is for what kills no daemon.
   *
   * @param scratch the cluster's data is in its directory {@code data}
   * @param portBase SysMgr listens there; all daemons answer /metrics at the port after it
   */
  public static WeftProcess startCluster(Path scratch, int portBase, int osds)
      throws IOException, InterruptedException {
    WeftProcess process =
        start(
            scratch,
            "quickstart",
            "--data",
            scratch.resolve("data").toString(),
            "--port-base",
            "" + portBase,
            "--osds",
            "" + osds,
            "--capacity",
            "2g");
    try {
      process.awaitLine(line -> line.contains("is ready"));
      return process;
    } catch (AssertionError | InterruptedException e) {
      process.close();
      throw e;
    }
  }

  private static WeftProcess launch(Path launcher, String... arguments) throws IOException {
    return launch(launcher, Map.of("WEFT_LAUNCHER", launcher.toString()), arguments);
  }

  /** Starts a command by this launcher, with these variables of its environment. */
  public static WeftProcess launch(
      Path launcher, Map<String, String> environment, String... arguments) throws IOException {
    List<String> command = new ArrayList<>(List.of(launcher.toString()));
    command.addAll(List.of(arguments));
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().putAll(environment);
    return new WeftProcess(builder.start());
  }

  /** As {@link #start(Path, String...)}, with other JVM options, also for what it starts itself. */
  static WeftProcess startSmall(Path scratch, String... arguments) throws IOException {
    return launch(smallLauncher(scratch), arguments);
  }

  /** A launcher of commands that have little memory. */
  public static Path smallLauncher(Path scratch) throws IOException {
    return launcher(scratch, SMALL_HEAP);
  }

  /** Starts a class of this module's tests in a JVM of its own. */
  public static WeftProcess startMain(Class<?> main, String... arguments) throws IOException {
    return startMain(List.of(), main, arguments);
  }

  /** The same, at a lower priority than other processes. */
  static WeftProcess startMainBehindOthers(Class<?> main, String... arguments) throws IOException {
    return startMain(List.of("nice", "-n", "10"), main, arguments);
  }

  /**
   * Starts a class of this module's tests in a JVM of its own.
   *
   * @param by the prefix of a command that runs another one, without a process of its own for it
   */
  public static WeftProcess startMain(List<String> by, Class<?> main, String... arguments)
      throws IOException {
    List<String> command = new ArrayList<>(by);
    command.add(ProcessHandle.current().info().command().orElseThrow());
    command.addAll(List.of("-Xmx192m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
    command.addAll(List.of(arguments));
    return new WeftProcess(new ProcessBuilder(command).redirectErrorStream(true).start());
  }

  /** What {@code ./weft} is in a checkout: here with the class path of the test. */
  private static synchronized Path launcher(Path scratch, String heap) throws IOException {
    Path launcher = scratch.resolve("weft-launcher" + heap.replaceAll("[^0-9a-z]+", "-"));
    if (!Files.exists(launcher)) {
      String java = ProcessHandle.current().info().command().orElseThrow();
      ClassArchive.Prepared prepared = ClassArchive.of(java, System.getProperty("java.class.path"));
      Files.writeString(
          launcher,
          "#!/bin/sh\nexec '"
              + java
              + "' "
              + heap
              + " -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -XX:+ExitOnOutOfMemoryError "
              + String.join(" ", prepared.options())
              + " -cp '"
              + prepared.classPath()
              + "' org.weft.cli.WeftCommand \"$@\"\n");
      Files.setPosixFilePermissions(launcher, PosixFilePermissions.fromString("rwxr-xr-x"));
    }
    return launcher;
  }

  private void read() {
    try (BufferedReader in =
        new BufferedReader(
            new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        synchronized (lines) {
          lines.add(line);
          lines.notifyAll();
        }
      }
    } catch (IOException e) {
      // The process was killed while it wrote: what came until then is what there is.
      synchronized (lines) {
        lines.notifyAll();
      }
    }
  }

  /**
   * Waits until it prints such a line; a process that ends instead fails the test with what it
   * said.
   */
  public String awaitLine(Predicate<String> wanted) throws InterruptedException {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(START_SECONDS);
    synchronized (lines) {
      for (int seen = 0; ; ) {
        while (seen < lines.size()) {
          String line = lines.get(seen++);
          if (wanted.test(line)) {
            return line;
          }
        }
        if (!process.isAlive() || System.nanoTime() > deadline) {
          throw new AssertionError("the line did not come; it said:\n" + String.join("\n", lines));
        }
        lines.wait(100);
      }
    }
  }

  /** Everything printed so far. */
  public String output() {
    synchronized (lines) {
      return String.join("\n", lines);
    }
  }

  /** Every line printed so far. */
  public List<String> lines() {
    synchronized (lines) {
      return List.copyOf(lines);
    }
  }

  public boolean isAlive() {
    return process.isAlive();
  }

  public long pid() {
    return process.pid();
  }

  /** A line on its standard input. */
  public void say(String line) throws IOException {
    OutputStream input = process.getOutputStream();
    input.write((line + "\n").getBytes(StandardCharsets.UTF_8));
    input.flush();
  }

  public ProcessHandle handle() {
    return process.toHandle();
  }

  /** SIGKILL. */
  public void kill() throws InterruptedException {
    process.toHandle().destroyForcibly();
    awaitEnd();
  }

  /** SIGTERM, and waits for a clean end. Its exit code. */
  public int stop() throws InterruptedException {
    // Process.destroy would close its output, too.
    process.toHandle().destroy();
    return awaitEnd();
  }

  /** Waits for the end by itself. */
  public int awaitEnd() throws InterruptedException {
    if (!process.waitFor(STOP_SECONDS, TimeUnit.SECONDS)) {
      throw new AssertionError("pid " + pid() + " did not end; it said:\n" + output());
    }
    reader.join(TimeUnit.SECONDS.toMillis(5));
    return process.exitValue();
  }

  /** Kills it if it runs, and waits until it is gone; an interrupt ends the waiting alone. */
  @Override
  public void close() {
    if (process.isAlive()) {
      process.destroyForcibly();
      try {
        awaitEnd();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
