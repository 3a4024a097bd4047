package org.weft.it.nfs;

import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import org.weft.nfs.model.Nfs3Client;
import org.weft.nfs.model.Nfs3Client.Result;

/**
 * A hard mount of one export, as a kernel has it. Calls wait for ever, and a call that is answered
 * with JUKEBOX is sent again under a new number. Everything else reaches the program. Thread-safe.
 */
final class HardMount implements AutoCloseable {
  private static final long JUKEBOX_NANOS = TimeUnit.MILLISECONDS.toNanos(300);

  private final HardConnection connection;
  private final Nfs3Client nfs;
  private final Findings findings;
  private final boolean moves;
  private final byte[] root;

  /** Mounts it, as soon as a gateway answers. */
  HardMount(
      String name,
      List<InetSocketAddress> servers,
      String export,
      int firstXid,
      Findings findings) {
    this.connection = new HardConnection(name, servers, firstXid);
    this.findings = findings;
    this.moves = servers.size() > 1;
    this.nfs = new Nfs3Client(connection, 0, 0);
    Result mounted = nfs.mount(export);
    if (mounted.status != Nfs3Client.OK) {
      throw new IllegalStateException(export + " cannot be mounted: status " + mounted.status);
    }
    root = mounted.handle;
  }

  /** Another gateway may answer when the first one is gone. */
  boolean moves() {
    return moves;
  }

  HardConnection connection() {
    return connection;
  }

  byte[] root() {
    return root.clone();
  }

  /** What a program is answered. */
  Result ask(Function<Nfs3Client, Result> call) {
    while (true) {
      Result result = call.apply(nfs);
      if (result.status != Nfs3Client.JUKEBOX) {
        return result;
      }
      findings.count("jukebox");
      LockSupport.parkNanos(JUKEBOX_NANOS);
    }
  }

  /**
   * A call that must work.
   *
   * @throws ProgramError if a program would be given an error
   */
  Result must(String what, Function<Nfs3Client, Result> call) throws ProgramError {
    return must(what, Nfs3Client.OK, call);
  }

  /** A call that must be answered with this status. */
  Result must(String what, int status, Function<Nfs3Client, Result> call) throws ProgramError {
    Result result = ask(call);
    if (result.status != status) {
      throw new ProgramError(what + ": status " + result.status + " in place of " + status);
    }
    return result;
  }

  @Override
  public void close() {
    connection.close();
  }
}
