package org.weft.nfs.daemon;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import org.weft.nfs.mount.Mount3;
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

    /** "nfs" or "mount". */
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

  private final List<Figures> nfs = figures("nfs", NFS);
  private final List<Figures> mount = figures("mount", MOUNT);

  private static List<Figures> figures(String program, List<String> names) {
    List<Figures> all = new ArrayList<>();
    names.forEach(name -> all.add(new Figures(program, name)));
    return List.copyOf(all);
  }

  /** The figures of all procedures. */
  public List<Figures> all() {
    List<Figures> all = new ArrayList<>(nfs);
    all.addAll(mount);
    return all;
  }

  @Override
  public void answered(RpcCall call, long nanos, boolean refused) {
    List<Figures> ofProgram =
        switch (call.program()) {
          case Nfs3.PROGRAM -> nfs;
          case Mount3.PROGRAM -> mount;
          default -> List.of();
        };
    int number = call.procedure();
    if (number >= 0 && number < ofProgram.size()) {
      Figures figures = ofProgram.get(number);
      figures.calls.increment();
      figures.nanos.add(nanos);
      if (refused) {
        figures.failed.increment();
      }
    }
  }
}
