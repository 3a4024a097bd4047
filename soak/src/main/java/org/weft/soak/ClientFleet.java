package org.weft.soak;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.weft.protocol.rpc.Endpoint;
import org.weft.soak.process.WeftProcess;
import org.weft.testkit.process.Signals;

/** The processes of the clients, and the logs of all that there ever were. Not thread-safe. */
final class ClientFleet implements AutoCloseable {
  /** The log of one thread of one process. */
  static final class Log {
    private final int client;
    private final LogTail tail;
    private final int lane;
    private boolean ended;

    private Log(int client, LogTail tail, int lane) {
      this.client = client;
      this.tail = tail;
      this.lane = lane;
    }

    Ledger ledger() {
      return tail.ledger();
    }

    void update() throws IOException {
      tail.update();
    }

    /** What its log said by that moment. */
    Ledger until(long nanos) throws IOException {
      return LogTail.until(tail.file(), nanos);
    }

    /** When it had taken the file. */
    long tookNanos(String path) {
      return tail.tookNanos(path);
    }

    /** Its process is no more. */
    boolean ended() {
      return ended;
    }

    int client() {
      return client;
    }
  }

  private final SoakOptions options;
  private final List<Endpoint> sysmgrs;
  private final IntFunction<List<String>> by;
  private final String directory;
  private final SoakTally tally;
  private final TakenFiles taken;
  private final List<WeftProcess> processes = new ArrayList<>();
  private final int[] runs;
  private final List<Log> logs = new ArrayList<>();

  /**
   * @param by the prefix of a command that runs the clients' commands where they belong
   */
  ClientFleet(
      SoakOptions options,
      List<Endpoint> sysmgrs,
      IntFunction<List<String>> by,
      String directory,
      SoakTally tally) {
    this.options = options;
    this.sysmgrs = sysmgrs;
    this.by = by;
    this.directory = directory;
    this.tally = tally;
    this.taken = new TakenFiles(options.logs());
    this.runs = new int[options.clients()];
  }

  /** Starts them all; returns when they work. */
  void start() throws Exception {
    for (int client = 0; client < options.clients(); client++) {
      processes.add(begin(client));
    }
    for (WeftProcess process : processes) {
      process.awaitLine("ready"::equals);
    }
  }

  private WeftProcess begin(int client) throws IOException {
    int run = ++runs[client];
    String process = LogName.process(client, run);
    for (int lane = 0; lane < SoakClient.LOGS; lane++) {
      Path file = options.logs().resolve(LogName.of(process, lane));
      logs.add(new Log(client, new LogTail(file, tally), lane));
    }
    return WeftProcess.startMain(
        by.apply(client),
        SoakClient.class,
        sysmgrs.stream().map(Endpoint::toString).collect(Collectors.joining(",")),
        "" + client,
        "" + run,
        "" + (options.seed() * 1_000_003 + client * 1_009L + run * 31L),
        directory,
        options.logs().toString());
  }

  int size() {
    return processes.size();
  }

  Set<Integer> numbers() {
    return IntStream.range(0, size()).boxed().collect(Collectors.toSet());
  }

  /** All logs that are still looked at. */
  List<Log> logs() {
    return logs;
  }

  TakenFiles taken() {
    return taken;
  }

  /** Takes in what the logs say by now; an end that was not asked for is a violation. */
  void update() throws IOException {
    for (Log log : logs) {
      log.update();
    }
    for (WeftProcess process : processes) {
      if (!process.isAlive() && tally.isSound()) {
        tally.violation("a client ended by itself: " + process.output());
      }
    }
  }

  /** SIGKILL, and another process in its place. */
  void killAndReplace(int client) throws Exception {
    processes.get(client).kill();
    for (Log log : logs) {
      log.ended |= log.client == client;
      log.update();
    }
    processes.set(client, begin(client));
    processes.get(client).awaitLine("ready"::equals);
  }

  void freeze(int client) throws Exception {
    Signals.freeze(processes.get(client).handle());
  }

  void thaw(int client) throws Exception {
    Signals.thaw(processes.get(client).handle());
  }

  /** Files that this client's last process has open; first those that it is just writing. */
  List<String> heldBy(int client) throws IOException {
    Path last = options.logs().resolve(LogName.process(client, runs[client]));
    return held(client, last.getFileName().toString());
  }

  /** The same of the process before the last one. */
  List<String> heldByFormer(int client) throws IOException {
    return held(client, LogName.process(client, runs[client] - 1));
  }

  private List<String> held(int client, String process) throws IOException {
    List<LoggedFile> held = new ArrayList<>();
    Set<String> others = taken.all();
    for (Log log : logs) {
      if (log.client == client
          && log.tail.file().getFileName().toString().startsWith(process + "-")) {
        log.update();
        log.ledger().files().values().stream()
            .filter(file -> file.isHeld() && !others.contains(file.path()))
            .forEach(held::add);
      }
    }
    held.sort(Comparator.comparing(LoggedFile::isQuiet));
    return held.stream().map(LoggedFile::path).toList();
  }

  /** Has another client take the file; whose log says so when it has. */
  Log orderTake(String path, int from, Random random) throws IOException {
    int taker = (from + 1 + random.nextInt(size() - 1)) % size();
    taken.add(path);
    processes.get(taker).say(SoakClient.TAKE + path);
    return logOf(taker, SoakClient.TAKER);
  }

  /** Has the client write a large file again and again; its log says where it is. */
  Log orderFlood(int client) throws IOException {
    processes.get(client).say(SoakClient.FLOOD);
    return logOf(client, SoakClient.FLOODER);
  }

  private Log logOf(int client, int lane) {
    return logs.stream()
        .filter(log -> log.client == client && log.lane == lane && !log.ended)
        .findFirst()
        .orElseThrow();
  }

  /** Lets them end in order. */
  void stop() throws Exception {
    for (WeftProcess process : processes) {
      process.say(SoakClient.STOP);
    }
    for (WeftProcess process : processes) {
      int exitCode = process.awaitEnd();
      if (exitCode != 0) {
        tally.violation("a client ended with " + exitCode + ": " + process.output());
      }
    }
    for (Log log : logs) {
      log.ended = true;
      log.update();
    }
  }

  @Override
  public void close() {
    for (WeftProcess process : processes) {
      process.close();
    }
  }
}
