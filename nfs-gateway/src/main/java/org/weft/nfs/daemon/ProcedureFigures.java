package org.weft.nfs.daemon;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.LongAdder;
import org.weft.nfs.mount.Mount3;
import org.weft.nfs.nlm.NlmProcedure;
import org.weft.nfs.nsm.NsmProcedure;
import org.weft.nfs.oncrpc.CallObserver;
import org.weft.nfs.oncrpc.RpcCall;
import org.weft.nfs.v3.Nfs3;

/** How many calls of each procedure were answered, and how long that took. Thread-safe. */
public final class ProcedureFigures implements CallObserver {
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

    /** "nfs", "mount", "nlm" or "nsm". */
    public String program() {
      return program;
    }

    public String procedure() {
      return procedure;
    }

    /** Calls that were answered, refused ones included. */
    public long calls() {
      return calls.sum();
    }

    /** The calls among these that RPC itself refused. */
    public long refused() {
      return failed.sum();
    }

    /** From their arrival to their answers, of all together. */
    public long nanos() {
      return nanos.sum();
    }
  }

  /** Of each program by the number of the procedure. */
  private final Map<Integer, Figures> nfs = figures("nfs", NFS);

  private final Map<Integer, Figures> mount = figures("mount", MOUNT);
  private final Map<Integer, Figures> nlm = new TreeMap<>();
  private final Map<Integer, Figures> nsm = new TreeMap<>();

  public ProcedureFigures() {
    for (NlmProcedure each : NlmProcedure.values()) {
      nlm.put(each.number(), new Figures("nlm", each.name().toLowerCase(Locale.ROOT)));
    }
    for (NsmProcedure each : NsmProcedure.values()) {
      nsm.put(each.number(), new Figures("nsm", each.name().toLowerCase(Locale.ROOT)));
    }
  }

  private static Map<Integer, Figures> figures(String program, List<String> names) {
    Map<Integer, Figures> all = new TreeMap<>();
    names.forEach(name -> all.put(all.size(), new Figures(program, name)));
    return all;
  }

  /** Of every procedure, always in the same order. */
  public List<Figures> all() {
    List<Figures> all = new ArrayList<>();
    List.of(nfs, mount, nlm, nsm).forEach(program -> all.addAll(program.values()));
    return all;
  }

  @Override
  public void answered(RpcCall call, long nanos, boolean refused) {
    Map<Integer, Figures> ofProgram =
        switch (call.program()) {
          case Nfs3.PROGRAM -> nfs;
          case Mount3.PROGRAM -> mount;
          case NlmProcedure.PROGRAM -> nlm;
          case NsmProcedure.PROGRAM -> nsm;
          default -> Map.of();
        };
    Figures figures = ofProgram.get(call.procedure());
    if (figures != null) {
      figures.calls.increment();
      figures.nanos.add(nanos);
      if (refused) {
        figures.failed.increment();
      }
    }
  }
}
