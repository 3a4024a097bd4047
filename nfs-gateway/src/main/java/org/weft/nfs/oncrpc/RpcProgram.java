package org.weft.nfs.oncrpc;

import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;

/** A program: its procedures by version and number. Each version has the NULL procedure. */
public final class RpcProgram {
  private static final RpcProcedure NULL =
      arguments -> call -> CompletableFuture.completedFuture(RpcReply.NOTHING);

  private final int number;
  private final String name;
  private final NavigableMap<Integer, Map<Integer, RpcProcedure>> versions = new TreeMap<>();

  /**
   * @param name for messages
   */
  public RpcProgram(int number, String name) {
    this.number = number;
    this.name = name;
  }

  /** Adds a version; to be called before the program is served. */
  public RpcProgram version(int version, Map<Integer, ? extends RpcProcedure> procedures) {
    versions.put(version, Map.copyOf(procedures));
    return this;
  }

  public int number() {
    return number;
  }

  public String name() {
    return name;
  }

  public Iterable<Integer> versions() {
    return versions.keySet();
  }

  int lowestVersion() {
    return versions.firstKey();
  }

  int highestVersion() {
    return versions.lastKey();
  }

  boolean has(int version) {
    return versions.containsKey(version);
  }

  /** Empty if there is none of that version and number. */
  public Optional<RpcProcedure> procedure(int version, int procedure) {
    RpcProcedure found = versions.getOrDefault(version, Map.of()).get(procedure);
    return found == null && procedure == 0 ? Optional.of(NULL) : Optional.ofNullable(found);
  }
}
