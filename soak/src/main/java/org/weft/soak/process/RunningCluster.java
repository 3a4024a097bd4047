package org.weft.soak.process;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.weft.cli.quickstart.DaemonProcess;
import org.weft.protocol.rpc.Endpoint;

/**
 * A cluster with a process for each daemon, which are killed, frozen and started again one by one.
 * OSDs, managers and members of SysMgr count from 1. Closing it leaves no process behind, however
 * it went. Not thread-safe.
 */
public interface RunningCluster extends AutoCloseable {
  /** Where SysMgr listens, for the first contact. */
  List<Endpoint> sysmgrs();

  /** Where one of SysMgr's members listens. */
  Endpoint sysmgrAt(int member);

  /** Where members of SysMgr answer HTTP. */
  List<Endpoint> rests();

  /** How many OSDs were started. */
  int osds();

  /** How many managers were started. */
  int managers();

  /** How many members SysMgr has. */
  int members();

  /** One of its OSDs. */
  DaemonProcess osd(int number);

  /** One of its managers. */
  DaemonProcess manager(int number);

  /** One of SysMgr's members. */
  DaemonProcess sysmgr(int member);

  /** Where an OSD listens; no two have the same port. */
  int osdPort(int number);

  /** Where a manager listens; no two have the same port. */
  int managerPort(int number);

  /** What one daemon has on its disk. */
  Path dataOf(DaemonProcess daemon);

  /** Stops everything in order; fails if that does not work. */
  void stop() throws Exception;

  @Override
  void close() throws IOException;

  /** Commands of an operator. */
  default WeftCli cli() {
    return new WeftCli(sysmgrs());
  }

  /** What SysMgr says of the volumes. */
  default StatusWatch status() {
    return new StatusWatch(rests());
  }

  /** {@code weft osd check} of every store; only after {@link #stop}. What it found wrong. */
  default List<String> unsoundStores() {
    List<String> unsound = new ArrayList<>();
    for (int number = 1; number <= osds(); number++) {
      Path store = dataOf(osd(number));
      WeftCli.Result check = WeftCli.runWithoutCluster("osd", "check", store.toString());
      if (check.exitCode() != 0) {
        unsound.add(store.getFileName() + ": " + check.output());
      }
    }
    return unsound;
  }
}
