package org.weft.soak;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.weft.client.WeftClient;
import org.weft.client.WeftFiles;
import org.weft.client.WeftPath;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.seam.Scheduler.OwnedExecutor;
import org.weft.protocol.system.SystemEnvironment;
import org.weft.soak.process.DaemonCluster;

/**
 * A client of the soak in a process of its own. It works until it is told {@code stop}. It takes
 * the files that it is told to {@code take}, and writes a large file when it is told to {@code
 * flood}. It ends at once when the process that gives it orders is gone.
 */
final class SoakClient {
  static final int LANES = 2;

  /** The lanes, and after them one that takes files and one that floods them. */
  static final int TAKER = LANES;

  static final int FLOODER = LANES + 1;
  static final int LOGS = LANES + 2;

  /** Numbers of one lane of one process. */
  static final long NUMBERS = 10_000_000;

  private static final int RUNS = 1_000;

  static final String STOP = "stop";
  static final String TAKE = "take ";
  static final String FLOOD = "flood";

  private SoakClient() {}

  /** The client that an operation's number belongs to. */
  static int clientOf(long number) {
    return (int) (number / (RUNS * LOGS * NUMBERS));
  }

  /**
   * Arguments: SysMgr's addresses, client, run, seed, directory in the cluster, directory of logs.
   */
  public static void main(String[] arguments) throws Exception {
    List<Endpoint> sysmgrs = Endpoint.parseAll(arguments[0]);
    int client = Integer.parseInt(arguments[1]);
    int run = Integer.parseInt(arguments[2]);
    long seed = Long.parseLong(arguments[3]);
    String directory = arguments[4];
    Path logs = Path.of(arguments[5]);
    String process = LogName.process(client, run);
    long first = ((long) client * RUNS + run) * LOGS * NUMBERS;
    AtomicBoolean stopping = new AtomicBoolean();
    try (SystemEnvironment system = SystemEnvironment.create();
        OwnedExecutor callbacks = system.environment().scheduler().newSerialExecutor("callbacks");
        WeftClient weft = DaemonCluster.connect(sysmgrs, process, system, callbacks);
        WeftClient narrow =
            DaemonCluster.connect(
                sysmgrs, process + "-flooder", system, callbacks, Flooder.WINDOW_BYTES)) {
      WeftFiles files = weft.files();
      List<Thread> threads = new ArrayList<>();
      for (int lane = 0; lane < LANES; lane++) {
        String home = directory + "/" + process + "-lane-" + lane;
        files.mkdirs(WeftPath.of(home), 0755);
        Work work = new Work(logs.resolve(LogName.of(process, lane)), first + lane * NUMBERS);
        PeerReader peers = new PeerReader(files, logs, LogName.client(client));
        threads.add(
            new Thread(
                new LogLane(files, home, work, peers, seed + lane, stopping::get), "lane-" + lane));
      }
      Work taking = new Work(logs.resolve(LogName.of(process, TAKER)), first + TAKER * NUMBERS);
      LeaseTaker taker = new LeaseTaker(files, taking, logs, seed + TAKER);
      threads.add(new Thread(taker, "taker"));
      String home = directory + "/" + process + "-flooder";
      files.mkdirs(WeftPath.of(home), 0755);
      Work flooding =
          new Work(logs.resolve(LogName.of(process, FLOODER)), first + FLOODER * NUMBERS);
      Flooder flooder = new Flooder(narrow.files(), home, flooding);
      threads.add(new Thread(flooder, "flooder"));
      threads.forEach(Thread::start);
      System.out.println("ready");
      obey(taker, flooder);
      stopping.set(true);
      taker.end();
      flooder.end();
      for (Thread thread : threads) {
        thread.join();
      }
    }
  }

  private static void obey(LeaseTaker taker, Flooder flooder) throws Exception {
    BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = in.readLine(); !STOP.equals(line); line = in.readLine()) {
      if (line == null) {
        Runtime.getRuntime().halt(1);
      } else if (line.startsWith(TAKE)) {
        taker.take(line.substring(TAKE.length()));
      } else if (line.equals(FLOOD)) {
        flooder.begin();
      }
    }
  }
}
