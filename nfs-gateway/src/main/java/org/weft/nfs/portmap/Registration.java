package org.weft.nfs.portmap;

import java.util.ArrayList;
import java.util.List;
import org.weft.nfs.oncrpc.RpcProgram;

/**
 * A version of a program that is served at a port.
 *
 * @param datagrams over UDP, not TCP
 */
public record Registration(int program, int version, int port, boolean datagrams) {
  /** Over TCP. */
  public Registration(int program, int version, int port) {
    this(program, version, port, false);
  }

  int protocol() {
    return datagrams ? Mapping.UDP : Mapping.TCP;
  }

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

  /** The same over UDP. */
  public static List<Registration> ofDatagrams(List<RpcProgram> programs, int port) {
    return of(programs, port).stream()
        .map(each -> new Registration(each.program(), each.version(), each.port(), true))
        .toList();
  }
}
