package org.weft.nfs.daemon;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.atomic.LongAdder;
import org.weft.nfs.mount.Mount3;
import org.weft.nfs.nlm.NlmProcedure;
import org.weft.nfs.nsm.NsmProcedure;
import org.weft.nfs.oncrpc.CallObserver;
import org.weft.nfs.oncrpc.RpcCall;
import org.weft.nfs.portmap.Portmapper;
import org.weft.nfs.v3.Nfs3;

/**
 * How many calls of each procedure had replies, and how long that took. Calls of versions and of
 * procedures that a program does not have count under {@link #OTHER} of the program. Those of
 * programs that are not served count under {@code OTHER} of {@code OTHER}. Thread-safe.
 */
public final class ProcedureFigures implements CallObserver {
  /** In place of a name that is not known. */
  public static final String OTHER = "other";

  private static final List<String> NFS =
      List.of(
          "null",
          "getattr",
          "setattr",
          "lookup",
          "access",
          "readlink",
          "read",
          "write",
          "create",
          "mkdir",
          "symlink",
          "mknod",
          "remove",
          "rmdir",
          "rename",
          "link",
          "readdir",
          "readdirplus",
          "fsstat",
          "fsinfo",
          "pathconf",
          "commit");
  private static final List<String> MOUNT =
      List.of("null", "mnt", "dump", "umnt", "umntall", "export");

  /** A procedure of several versions of a program, one after another. */
  private record Versions(int first, int last, int procedure) {}

  private static final SortedMap<String, Versions> PORTMAP =
      new TreeMap<>(
          Map.of(
              "null", new Versions(2, 4, 0),
              "set", new Versions(2, 4, 1),
              "unset", new Versions(2, 4, 2),
              "getport", new Versions(2, 2, 3),
              "getaddr", new Versions(3, 4, 3),
              "dump", new Versions(2, 4, 4),
              "gettime", new Versions(3, 4, 6),
              "getversaddr", new Versions(4, 4, 9)));

  /** Figures of one procedure. */
  public static final class Figures {
    private final String program;
    private final String procedure;
    private final LongAdder calls = new LongAdder();
    private final LongAdder failed = new LongAdder();
    private final LongAdder nanos = new LongAdder();

    private Figures(String program, String procedure) {
      this.program = program;
      this.procedure = procedure;
    }

    /** Such as "nfs" or "nlm". */
    public String program() {
      return program;
    }

    public String procedure() {
      return procedure;
    }

    /** Calls that had replies, refused ones included. */
    public long calls() {
      return calls.sum();
    }

    /** Of these, those that RPC itself refused. */
    public long refused() {
      return failed.sum();
    }

    /** From their arrival to their replies, of all together. */
    public long nanos() {
      return nanos.sum();
    }

    private void count(long tookNanos, boolean refused) {
      calls.increment();
      nanos.add(tookNanos);
      if (refused) {
        failed.increment();
      }
    }
  }

  private record Place(int program, int version, int procedure) {}

  private final List<Figures> all = new ArrayList<>();
  private final Map<Place, Figures> byPlace = new HashMap<>();
  private final Map<Integer, Figures> othersByProgram = new HashMap<>();
  private final Figures ofNoProgram;

  public ProcedureFigures() {
    for (int number = 0; number < NFS.size(); number++) {
      add("nfs", NFS.get(number), new Place(Nfs3.PROGRAM, Nfs3.VERSION, number));
    }
    addOthers("nfs", Nfs3.PROGRAM);
    for (int number = 0; number < MOUNT.size(); number++) {
      add("mount", MOUNT.get(number), new Place(Mount3.PROGRAM, Mount3.VERSION, number));
    }
    addOthers("mount", Mount3.PROGRAM);
    for (NlmProcedure each : NlmProcedure.values()) {
      Place place = new Place(NlmProcedure.PROGRAM, NlmProcedure.VERSION, each.number());
      add("nlm", each.name().toLowerCase(Locale.ROOT), place);
    }
    addOthers("nlm", NlmProcedure.PROGRAM);
    for (NsmProcedure each : NsmProcedure.values()) {
      Place place = new Place(NsmProcedure.PROGRAM, NsmProcedure.VERSION, each.number());
      add("nsm", each.name().toLowerCase(Locale.ROOT), place);
    }
    addOthers("nsm", NsmProcedure.PROGRAM);
    addPortmap();
    ofNoProgram = addFigures(OTHER, OTHER);
  }

  /** Its three versions number alike what they have in common. */
  private void addPortmap() {
    PORTMAP.forEach(
        (name, place) -> {
          Figures figures = addFigures("portmap", name);
          for (int version = place.first(); version <= place.last(); version++) {
            byPlace.put(new Place(Portmapper.PROGRAM, version, place.procedure()), figures);
          }
        });
    addOthers("portmap", Portmapper.PROGRAM);
  }

  private Figures addFigures(String program, String procedure) {
    Figures figures = new Figures(program, procedure);
    all.add(figures);
    return figures;
  }

  private void add(String program, String procedure, Place place) {
    byPlace.put(place, addFigures(program, procedure));
  }

  private void addOthers(String program, int number) {
    othersByProgram.put(number, addFigures(program, OTHER));
  }

  /** Of every procedure, in an order that is the same in each instance. */
  public List<Figures> all() {
    return List.copyOf(all);
  }

  @Override
  public void answered(RpcCall call, long nanos, boolean refused) {
    Figures figures = byPlace.get(new Place(call.program(), call.version(), call.procedure()));
    if (figures == null) {
      figures = othersByProgram.getOrDefault(call.program(), ofNoProgram);
    }
    figures.count(nanos, refused);
  }
}
