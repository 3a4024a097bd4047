package org.weft.simulator.node;

import java.util.List;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.weft.protocol.rpc.Endpoint;

/**
 * Where the parts of a cluster are, and what lets daemons in.
 *
 * @param joinToken asked when a daemon starts
 */
public record ClusterPlace(List<Endpoint> sysmgrs, Supplier<byte[]> joinToken) {
  static final int SYSMGR_PORT = 7_300;
  static final int OSD_PORT = 7_400;
  static final int MANAGER_PORT = 7_500;

  public static List<Endpoint> sysmgrs(int members) {
    return IntStream.rangeClosed(1, members)
        .mapToObj(number -> at("sysmgr-" + number, SYSMGR_PORT + number))
        .toList();
  }

  static Endpoint at(String machine, int port) {
    return new Endpoint(machine, port);
  }
}
