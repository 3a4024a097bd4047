package org.weft.metadata;

import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import org.weft.protocol.rpc.Endpoint;

/**
 * Settings of a manager at its start.
 *
 * @param dataDirectory made and formatted at the first start; it holds no other files
 * @param listen address of requests; port 0 takes any free one
 * @param advertised how others reach it; port 0 stands for the port it listens on
 * @param sysmgrs addresses of SysMgr members; any of them will do
 * @param joinToken the cluster's, as SysMgr shows it
 * @param host the manager's fault domain
 * @param minOsds a volume is formatted only once so many OSDs are up
 * @param beside sentences on what is wrong with what else runs in its process: SysMgr is told with
 *     each heartbeat; thread-safe and quick
 */
public record ManagerOptions(
    Path dataDirectory,
    Endpoint listen,
    Endpoint advertised,
    List<Endpoint> sysmgrs,
    byte[] joinToken,
    String host,
    int minOsds,
    ManagerTuning tuning,
    Supplier<List<String>> beside) {
  public static final int DEFAULT_MIN_OSDS = 3;

  /** With the usual tuning. */
  public ManagerOptions(
      Path dataDirectory,
      Endpoint listen,
      Endpoint advertised,
      List<Endpoint> sysmgrs,
      byte[] joinToken,
      String host,
      int minOsds) {
    this(
        dataDirectory,
        listen,
        advertised,
        sysmgrs,
        joinToken,
        host,
        minOsds,
        ManagerTuning.DEFAULT);
  }

  /** With nothing else in its process. */
  public ManagerOptions(
      Path dataDirectory,
      Endpoint listen,
      Endpoint advertised,
      List<Endpoint> sysmgrs,
      byte[] joinToken,
      String host,
      int minOsds,
      ManagerTuning tuning) {
    this(dataDirectory, listen, advertised, sysmgrs, joinToken, host, minOsds, tuning, List::of);
  }

  /** The same beside something that has problems of its own. */
  public ManagerOptions withBeside(Supplier<List<String>> other) {
    return new ManagerOptions(
        dataDirectory, listen, advertised, sysmgrs, joinToken, host, minOsds, tuning, other);
  }

  public ManagerOptions {
    Objects.requireNonNull(dataDirectory, "dataDirectory");
    Objects.requireNonNull(listen, "listen");
    Objects.requireNonNull(advertised, "advertised");
    Objects.requireNonNull(host, "host");
    Objects.requireNonNull(tuning, "tuning");
    Objects.requireNonNull(beside, "beside");
    sysmgrs = List.copyOf(sysmgrs);
    joinToken = joinToken.clone();
    if (sysmgrs.isEmpty()) {
      throw new IllegalArgumentException("a manager needs at least one address of SysMgr");
    }
    if (joinToken.length == 0) {
      throw new IllegalArgumentException(
          "a manager needs the cluster's join token; SysMgr shows it at its first start");
    }
    if (minOsds < 1) {
      throw new IllegalArgumentException(
          "a volume needs at least one OSD to be formatted, got " + minOsds);
    }
  }

  /** Leaves out the token. */
  @Override
  public String toString() {
    return "ManagerOptions[" + dataDirectory + ", listen " + listen + ", sysmgrs " + sysmgrs + "]";
  }
}
