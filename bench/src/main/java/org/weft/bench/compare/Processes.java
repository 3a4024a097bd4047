package org.weft.bench.compare;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

/** The client processes by name, each started when it is first wanted. One thread. */
final class Processes implements Closeable {
  private final Path directory;
  private final Map<String, DrivenProcess> started = new LinkedHashMap<>();

  private final boolean oneForAll;

  /**
   * @param directory for their logs
   * @param oneForAll systems with the same command have one process
   */
  Processes(Path directory, boolean oneForAll) {
    this.directory = directory;
    this.oneForAll = oneForAll;
  }

  /** The one that makes a system's loads. */
  DrivenProcess loading(BenchedSystem system) throws IOException {
    return get(name(system), system.command());
  }

  /** Another client of the same system: it has seen nothing of the loads. */
  DrivenProcess verifying(BenchedSystem system) throws IOException {
    return get(name(system) + "-verify", system.command());
  }

  private String name(BenchedSystem system) {
    return oneForAll ? "all-" + Integer.toHexString(system.command().hashCode()) : system.label();
  }

  private DrivenProcess get(String name, String command) throws IOException {
    DrivenProcess process = started.get(name);
    if (process == null) {
      process = new DrivenProcess(name, command, directory.resolve("client-" + name + ".log"));
      started.put(name, process);
    }
    return process;
  }

  /** The next one of that name is a new one. */
  void forget(BenchedSystem system) throws IOException {
    DrivenProcess process = started.remove(name(system));
    if (process != null) {
      process.close();
    }
  }

  @Override
  public void close() throws IOException {
    for (DrivenProcess process : started.values()) {
      process.close();
    }
    started.clear();
  }
}
