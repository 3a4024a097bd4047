package org.weft.cli.quickstart;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.weft.cli.output.CommandFailure;

/** One daemon in a process of its own, known by its pid file. */
public final class DaemonProcess {
  private static final long STOP_SECONDS = 60;
  private static final Pattern PLAIN_WORD = Pattern.compile("[-\\w@%+=:,./]+");

  private final String name;
  private final PidFile pidFile;
  private final List<String> command;
  private final Path log;

  private DaemonProcess(String name, PidFile pidFile, List<String> command, Path log) {
    this.name = name;
    this.pidFile = pidFile;
    this.command = command;
    this.log = log;
  }

  static DaemonProcess sysmgr(QuickstartPlan plan, String launcher, int member) {
    return of(
        plan,
        launcher,
        "sysmgr",
        "sysmgr-" + member,
        Optional.of(plan.sysmgrData(member)),
        plan.sysmgr(member).toString(),
        "--set",
        "sysmgr.id=" + member,
        "--set",
        "sysmgr.rest=" + plan.rest(member),
        "--set",
        "sysmgr.ratis=" + plan.ratis(member));
  }

  static DaemonProcess manager(QuickstartPlan plan, String launcher, int number) {
    DaemonProcess manager =
        of(
            plan,
            launcher,
            "manager",
            "manager-" + number,
            Optional.of(plan.managerData(number)),
            plan.manager(number).toString(),
            "--set",
            "host=" + plan.managerHost(number));
    return plan.hasGatewayBeside(number)
        ? manager.with("--set", "manager.nfs=true", "--set", "nfs.listen=" + plan.gateway(number))
        : manager;
  }

  /** An NFS gateway; it has no data directory. */
  static DaemonProcess gateway(QuickstartPlan plan, String launcher, int number) {
    return of(
        plan,
        launcher,
        "nfs",
        "nfs-" + number,
        Optional.empty(),
        plan.gateway(number).toString(),
        "--set",
        "host=" + plan.managerHost(number));
  }

  static DaemonProcess osd(QuickstartPlan plan, String launcher, int number) {
    return of(
        plan,
        launcher,
        "osd",
        "osd-" + number,
        Optional.of(plan.osdData(number)),
        plan.osd(number).toString(),
        "--set",
        "host=" + plan.host(number));
  }

  /** The process of one OSD of a quickstart that was started with {@code --processes}. */
  public static DaemonProcess osd(QuickstartState state, int number) {
    return osd(state.plan(), state.launcher(), number);
  }

  /** The process of a manager of such a quickstart; they count from 1. */
  public static DaemonProcess manager(QuickstartState state, int number) {
    return manager(state.plan(), state.launcher(), number);
  }

  /** The process of an NFS gateway of such a quickstart; they count from 1. */
  public static DaemonProcess gateway(QuickstartState state, int number) {
    return gateway(state.plan(), state.launcher(), number);
  }

  /** The process of a member of SysMgr of such a quickstart. */
  public static DaemonProcess sysmgr(QuickstartState state, int member) {
    return sysmgr(state.plan(), state.launcher(), member);
  }

  /**
   * A daemon that no quickstart knows.
   *
   * @param runDirectory where its pid file lies
   * @param command starts it, and becomes it: has its process id
   * @param log of the daemon; beside it lies its output
   */
  public static DaemonProcess of(String name, Path runDirectory, List<String> command, Path log) {
    return new DaemonProcess(name, PidFile.of(runDirectory, name), List.copyOf(command), log);
  }

  private static DaemonProcess of(
      QuickstartPlan plan,
      String launcher,
      String kind,
      String name,
      Optional<Path> data,
      String listen,
      String... more) {
    Path log = plan.logDirectory().resolve(name + ".log");
    List<String> command =
        new ArrayList<>(
            List.of(
                launcher,
                kind,
                "--config",
                plan.data().resolve("weft.conf").toString(),
                "--listen",
                listen,
                "--log-file",
                log.toString()));
    data.ifPresent(place -> command.addAll(List.of("--data", place.toString())));
    command.addAll(List.of(more));
    return new DaemonProcess(
        name, PidFile.of(plan.runDirectory(), name), List.copyOf(command), log);
  }

  /** The same process, started with these arguments as well. */
  public DaemonProcess with(String... more) {
    List<String> longer = new ArrayList<>(command);
    longer.addAll(List.of(more));
    return new DaemonProcess(name, pidFile, List.copyOf(longer), log);
  }

  public String name() {
    return name;
  }

  /** The process, if it runs. */
  public Optional<ProcessHandle> process() throws IOException {
    return pidFile.process();
  }

  /** Starts it; its output goes to its log's neighbour {@code NAME.out}. */
  public ProcessHandle start() throws IOException {
    if (process().isPresent()) {
      throw new CommandFailure(name + " runs already, as pid " + process().get().pid());
    }
    Files.createDirectories(log.getParent());
    Process process =
        new ProcessBuilder(new ArrayList<>(command))
            .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(output().toFile()))
            .start();
    pidFile.write(process.pid());
    return process.toHandle();
  }

  /** What starts it in a shell as {@link #start} does, with its pid file. */
  String shellLine() {
    String starts = command.stream().map(DaemonProcess::quoted).collect(Collectors.joining(" "));
    return "%s < /dev/null >> %s 2>&1 & echo $! > %s"
        .formatted(starts, quoted(output().toString()), quoted(pidFile.path().toString()));
  }

  private static String quoted(String word) {
    return PLAIN_WORD.matcher(word).matches() ? word : "'" + word.replace("'", "'\\''") + "'";
  }

  private Path output() {
    return log.resolveSibling(name + ".out");
  }

  /** Stops it with SIGTERM and waits until it has ended. */
  public void stop() throws IOException, InterruptedException {
    Optional<ProcessHandle> running = process();
    if (running.isPresent()) {
      running.get().destroy();
      awaitEnd(running.get());
    }
    pidFile.remove();
  }

  private void awaitEnd(ProcessHandle process) throws InterruptedException {
    try {
      process.onExit().get(STOP_SECONDS, TimeUnit.SECONDS);
    } catch (TimeoutException e) {
      throw new CommandFailure(
          name
              + " (pid "
              + process.pid()
              + ") did not stop within "
              + STOP_SECONDS
              + " s; see "
              + log,
          e);
    } catch (java.util.concurrent.ExecutionException e) {
      throw new IllegalStateException("waiting for " + name, e);
    }
  }

  /** What it printed last; empty: nothing yet. */
  public String lastOutput() throws IOException {
    if (!Files.exists(output())) {
      return "";
    }
    List<String> lines = Files.readAllLines(output());
    return String.join("\n", lines.subList(Math.max(0, lines.size() - 5), lines.size()));
  }
}
