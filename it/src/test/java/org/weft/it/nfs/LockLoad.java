package org.weft.it.nfs;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.weft.nfs.model.Nfs3Client;
import org.weft.nfs.model.Nfs3Client.Result;
import org.weft.nfs.nlm.NetObject;
import org.weft.nfs.nlm.NlmLock;
import org.weft.nfs.nlm.NlmMessage;
import org.weft.nfs.nlm.NlmProcedure;
import org.weft.nfs.nlm.NlmRange;
import org.weft.nfs.nlm.NlmStatus;
import org.weft.nfs.oncrpc.OncRpcClient;
import org.weft.nfs.oncrpc.RpcCredential;

/**
 * A program that locks a cell of a file that others lock too, counts it up, and unlocks it. Its
 * host reclaims what it holds when the gateway was gone, within the time that locks are kept.
 * Confined to one thread.
 */
final class LockLoad implements MountProgram {
  private static final long SLICE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
  private static final int MAX_SLICES = 30;

  /** Locks of a gateway that was gone are kept for 45 s, and a session lasts for 10 s. */
  private static final long FREE_NANOS = TimeUnit.SECONDS.toNanos(90);

  private static final NetObject COOKIE = new NetObject(new byte[] {7});

  private final String host;
  private final int process;
  private final HardMount mount;
  private final byte[] file;
  private final LockedCells cells;
  private final Findings findings;
  private final Random random;

  LockLoad(
      String host,
      int process,
      HardMount mount,
      byte[] file,
      LockedCells cells,
      Findings findings,
      long seed) {
    this.host = host;
    this.process = process;
    this.mount = mount;
    this.file = file.clone();
    this.cells = cells;
    this.findings = findings;
    this.random = new Random(seed);
  }

  @Override
  public String name() {
    return host + " process " + process;
  }

  private NlmLock lock(int cell) {
    return new NlmLock(
        host,
        new NetObject(file),
        new NetObject((process + "@" + host).getBytes(StandardCharsets.US_ASCII)),
        process,
        new NlmRange((long) cell * Long.BYTES, Long.BYTES));
  }

  private NlmStatus ask(NlmProcedure procedure, NlmMessage message) {
    return mount
        .connection()
        .call(
            new OncRpcClient.Target(NlmProcedure.PROGRAM, NlmProcedure.VERSION, procedure.number()),
            new RpcCredential.Sys(0, host, 0, 0, List.of()),
            message::write,
            NlmMessage.Answer::read)
        .status();
  }

  /** As a kernel asks: what may go by itself is asked again. */
  private NlmStatus patiently(NlmProcedure procedure, NlmMessage message) {
    while (true) {
      NlmStatus status = ask(procedure, message);
      if (status != NlmStatus.DENIED_GRACE_PERIOD) {
        return status;
      }
      findings.count("locks asked again in a grace period");
      LockSupport.parkNanos(SLICE_NANOS);
    }
  }

  @Override
  public void round() throws ProgramError {
    int cell = random.nextInt(LockedCells.CELLS);
    int seen = mount.connection().connections();
    if (take(cell)) {
      held(cell, seen);
    } else {
      findings.count("locks that another one has");
      LockSupport.parkNanos(SLICE_NANOS);
    }
  }

  /** Asks for a cell; false if it is denied. */
  private boolean take(int cell) throws ProgramError {
    cells.asks(cell);
    try {
      NlmStatus status =
          patiently(
              NlmProcedure.LOCK, new NlmMessage.Lock(COOKIE, false, true, lock(cell), false, 1));
      switch (status) {
        case GRANTED -> cells.take(cell, name());
        case DENIED -> cells.denied(cell, name());
        default -> throw new ProgramError(name() + " is refused a lock: " + status);
      }
      return status == NlmStatus.GRANTED;
    } finally {
      cells.answered(cell);
    }
  }

  private void unlock(int cell, long count) throws ProgramError {
    cells.asks(cell);
    try {
      cells.leave(cell, count, name());
      findings.event(name() + " unlocks cell " + cell);
      NlmStatus status = patiently(NlmProcedure.UNLOCK, new NlmMessage.Unlock(COOKIE, lock(cell)));
      if (status != NlmStatus.GRANTED) {
        throw new ProgramError(name() + " cannot unlock: " + status);
      }
    } finally {
      cells.answered(cell);
    }
  }

  private void held(int cell, int seenBefore) throws ProgramError {
    findings.event(name() + " has cell " + cell);
    findings.count("locks");
    int seen = seenBefore;
    long count = read(cell);
    cells.check(cell, count, name());
    for (int i = random.nextInt(MAX_SLICES); i > 0; i--) {
      seen = reclaim(cell, seen);
      if (seen < 0) {
        return;
      }
      LockSupport.parkNanos(SLICE_NANOS);
    }
    write(cell, count + 1);
    seen = reclaim(cell, seen);
    if (seen < 0) {
      return;
    }
    unlock(cell, count + 1);
  }

  /**
   * What its host does when the gateway has started again.
   *
   * @return the connections seen now; -1 if the lock was gone because it came too late
   */
  private int reclaim(int cell, int seen) throws ProgramError {
    int now = mount.connection().connections();
    if (now == seen) {
      if (mount.connection().isConnected()) {
        cells.confirm(cell, name());
      }
      return seen;
    }
    NlmStatus status =
        patiently(NlmProcedure.LOCK, new NlmMessage.Lock(COOKIE, false, true, lock(cell), true, 1));
    if (status == NlmStatus.GRANTED) {
      findings.event(name() + " has cell " + cell + " again");
      findings.count("locks reclaimed");
      cells.confirm(cell, name());
      return now;
    }
    cells.lapse(cell, name(), status.toString());
    findings.count("locks that lapsed while a gateway was away for too long");
    return -1;
  }

  private long read(int cell) throws ProgramError {
    Result read =
        mount.must(
            "READ of a locked cell", nfs -> nfs.read(file, (long) cell * Long.BYTES, Long.BYTES));
    if (read.data.length != Long.BYTES) {
      throw new ProgramError("a cell of " + read.data.length + " bytes");
    }
    return ByteBuffer.wrap(read.data).getLong();
  }

  private void write(int cell, long count) throws ProgramError {
    byte[] bytes = ByteBuffer.allocate(Long.BYTES).putLong(count).array();
    mount.must(
        "WRITE of a locked cell",
        nfs -> nfs.write(file, (long) cell * Long.BYTES, Nfs3Client.FILE_SYNC, bytes));
  }

  /** One after another each program locks every cell: the former ones must have freed them. */
  @Override
  public void finish() throws ProgramError {
    for (int cell = 0; cell < LockedCells.CELLS; cell++) {
      long deadline = System.nanoTime() + FREE_NANOS;
      while (!take(cell)) {
        if (System.nanoTime() - deadline > 0) {
          throw new ProgramError(name() + " is denied cell " + cell + ", and no program runs");
        }
        LockSupport.parkNanos(SLICE_NANOS);
      }
      long count = read(cell);
      cells.check(cell, count, name());
      unlock(cell, count);
      findings.count("locks at the end");
    }
  }
}
