package org.weft.nfs.oncrpc;

import java.util.HashMap;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/** A program: its procedures by version and number. Each version has the NULL procedure. */
public final class RpcProgram {
  private static final RpcProcedure NULL =
      arguments -> call -> CompletableFuture.completedFuture(OncReply.NOTHING);

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

  /**
   * The same program, each of whose calls is carried out after something else.
   *
   * @param preparation completes on any thread, mostly at once, and does not fail; must not block
   */
  public RpcProgram prepared(Function<RpcCall, CompletableFuture<Void>> preparation) {
    RpcProgram prepared = new RpcProgram(number, name);
    versions.forEach(
        (version, procedures) -> {
          Map<Integer, RpcProcedure> each = new HashMap<>();
          procedures.forEach(
              (place, procedure) -> each.put(place, prepared(procedure, preparation)));
          var unused = prepared.version(version, each);
        });
    return prepared;
  }

  private static RpcProcedure prepared(
      RpcProcedure procedure, Function<RpcCall, CompletableFuture<Void>> preparation) {
    return new RpcProcedure() {
      @Override
      public RpcTask read(XdrReader arguments) throws MalformedXdrException {
        return new PreparedTask(procedure.read(arguments), preparation);
      }

      @Override
      public Repeats repeats() {
        return procedure.repeats();
      }
    };
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
