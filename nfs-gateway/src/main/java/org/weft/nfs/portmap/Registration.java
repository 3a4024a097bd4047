package org.weft.nfs.portmap;

import java.util.ArrayList;
import java.util.List;
import org.weft.nfs.oncrpc.RpcProgram;

/** A version of a program that is served over TCP at a port. */
public record Registration(int program, int version, int port) {
  /** All versions of programs that share a port. */
  public static List<Registration> of(List<RpcProgram> programs, int port) {
    List<Registration> all = new ArrayList<>();
    for (RpcProgram program : programs) {
      for (int version : program.versions()) {
        all.add(new Registration(program.number(), version, port));
      }
    }
    return all;
  }
}
