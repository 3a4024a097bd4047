package org.weft.it.nfs;

import static org.weft.nfs.model.Nfs3Client.FILE_SYNC;
import static org.weft.nfs.model.Nfs3Client.UNSTABLE;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import org.weft.nfs.model.Nfs3Client;
import org.weft.nfs.model.Nfs3Client.Result;

/**
 * A program that writes a file through a kernel's page cache. What was answered UNSTABLE is kept
 * until a COMMIT under the same verifier, and is sent again under any other one (RFC 1813 3.3.21).
 * After a COMMIT the bytes are read back, through this mount and another one, and compared with
 * what was written. Confined to one thread, but for the calls that it has under way.
 */
final class PageCacheFile implements MountProgram {
  private static final int MAX_BYTES = 3 << 20;
  private static final int PIECE = 64 << 10;
  private static final int PAGE = 4 << 10;
  private static final int SHOWN_BYTES = 16;

  /** A range that was written and is not durable yet. */
  private static final class Range {
    final int offset;
    final int length;
    long verifier;
    boolean isSent;

    /** What a READ showed in its place, unless the gateway has lost it; null if nothing. */
    ProgramError stale;

    Range(int offset, int length) {
      this.offset = offset;
      this.length = length;
    }

    boolean overlaps(Range other) {
      return offset < other.offset + other.length && other.offset < offset + length;
    }
  }

  private final String name;
  private final HardMount mount;
  private final HardMount other;
  private final byte[] directory;
  private final Executor calls;
  private final Findings findings;
  private final Random random;
  private final byte[] wanted = new byte[MAX_BYTES];
  private final List<Range> dirty = new ArrayList<>();
  private int size;
  private byte[] handle;
  private long writes;

  /** As the other mount has shown it last; 0 for a file that is new. */
  private long seenChangeNanos;

  PageCacheFile(
      String name,
      HardMount mount,
      HardMount other,
      byte[] directory,
      Executor calls,
      Findings findings,
      long seed)
      throws ProgramError {
    this.name = name;
    this.mount = mount;
    this.other = other;
    this.directory = directory;
    this.calls = calls;
    this.findings = findings;
    this.random = new Random(seed);
    create();
  }

  @Override
  public String name() {
    return name;
  }

  /** What its bytes must be now; only after {@link #finish}. */
  byte[] content() {
    return Arrays.copyOf(wanted, size);
  }

  private void create() throws ProgramError {
    long verifier = random.nextLong();
    handle =
        mount.must("CREATE " + name, nfs -> nfs.createExclusive(directory, name, verifier)).handle;
    Nfs3Client.Set mode = Nfs3Client.Set.mode(0644);
    mount.must("SETATTR " + name, nfs -> nfs.setAttr(handle, mode, null));
    size = 0;
    seenChangeNanos = 0;
  }

  @Override
  public void round() throws ProgramError {
    write();
    if (random.nextInt(4) == 0) {
      // It goes on writing before what it wrote is durable.
      return;
    }
    commit();
    verifyChangeTime();
    switch (random.nextInt(12)) {
      case 0 -> cut();
      case 1 -> replace();
      default -> {}
    }
    verify(random.nextInt(3) == 0 ? other : mount, random.nextInt(4) == 0);
  }

  @Override
  public void finish() throws ProgramError {
    commit();
    verify(mount, true);
    verify(other, true);
  }

  private void write() throws ProgramError {
    List<Range> fresh = new ArrayList<>();
    int kind = random.nextInt(3);
    int start = random.nextInt(MAX_BYTES / PIECE / 2) * PIECE;
    for (int i = 1 + random.nextInt(24); i > 0; i--) {
      Range range =
          switch (kind) {
            case 0 -> new Range(start + (fresh.size() % 24) * PIECE, PIECE);
            case 1 -> new Range(random.nextInt(MAX_BYTES / PAGE) * PAGE, PAGE);
            default -> {
              int length = 1 + random.nextInt(20_000);
              yield new Range(random.nextInt(MAX_BYTES - length), length);
            }
          };
      if (range.offset + range.length <= MAX_BYTES && fresh.stream().noneMatch(range::overlaps)) {
        fresh.add(range);
        fill(range);
      }
    }
    dirty.addAll(fresh);
    int seen = mount.connection().connections();
    flush();
    for (Range range : fresh) {
      if (range.verifier != 0 && random.nextInt(4) == 0) {
        readBack(range, seen);
      }
    }
  }

  /**
   * Bytes that are not durable are there at once, through the same gateway, unless it has lost
   * them: then its next COMMIT says so. A client reads here to fill up a page, and writes it back.
   */
  private void readBack(Range range, int seenConnections) throws ProgramError {
    ProgramError stale = null;
    int end = range.offset + range.length;
    int at = range.offset;
    while (at < end && stale == null) {
      int offset = at;
      Result read =
          mount.must(
              "READ " + name,
              nfs -> nfs.read(handle, offset, range.offset + range.length - offset));
      int count = read.data.length;
      if (count == 0 || count > end - at) {
        stale =
            new ProgramError(name + " at " + at + ": " + count + " bytes after an UNSTABLE write");
      } else {
        int wrong = Arrays.mismatch(read.data, Arrays.copyOfRange(wanted, at, at + count));
        if (wrong >= 0) {
          stale = new ProgramError("before COMMIT: " + difference(at + wrong, read.data, wrong));
        }
      }
      at += count;
    }
    Result node = mount.must("GETATTR " + name, nfs -> nfs.getAttr(handle));
    if (stale == null && node.node.size() < end) {
      stale =
          new ProgramError(
              name + " is shorter than " + end + " before COMMIT: " + node.node.size());
    }
    findings.count("bytes read before they are durable", range.length);
    // What one gateway has in memory another one need not show.
    if (!mount.moves() || mount.connection().connections() == seenConnections) {
      range.stale = stale;
    }
  }

  /** Kernels keep pages for as long as the time of the last change stays. */
  private void verifyChangeTime() throws ProgramError {
    long found = other.must("GETATTR " + name, nfs -> nfs.getAttr(handle)).node.ctime();
    if (found <= seenChangeNanos) {
      throw new ProgramError(
          name + " was written, and its ctime is " + found + " after " + seenChangeNanos);
    }
    seenChangeNanos = found;
  }

  /** Bytes that say which write they are of. */
  private void fill(Range range) {
    writes++;
    for (int at = range.offset; at < range.offset + range.length; at++) {
      wanted[at] = pattern(writes, at);
    }
    size = Math.max(size, range.offset + range.length);
  }

  private byte pattern(long write, int at) {
    long word = (write * 0x9E37_79B9_7F4A_7C15L) ^ ((at >> 3) * 0xC2B2_AE3D_27D4_EB4FL);
    word ^= word >>> 29;
    return (byte) (((word * 0xBF58_476D_1CE4_E5B9L) ^ name.hashCode()) >>> (8 * (at & 7)));
  }

  /** Sends what was not sent, several calls at once. */
  private void flush() throws ProgramError {
    List<CompletableFuture<Void>> underWay = new ArrayList<>();
    for (Range range : dirty) {
      if (!range.isSent) {
        int stable = random.nextInt(6) == 0 ? 1 + random.nextInt(FILE_SYNC) : UNSTABLE;
        underWay.add(
            CompletableFuture.runAsync(
                () -> {
                  try {
                    send(range, stable);
                  } catch (ProgramError e) {
                    throw new CompletionException(e);
                  }
                },
                calls));
      }
    }
    ProgramError error = null;
    for (CompletableFuture<Void> each : underWay) {
      try {
        each.join();
      } catch (CompletionException e) {
        if (e.getCause() instanceof ProgramError known) {
          error = known;
        } else {
          throw e;
        }
      }
    }
    if (error != null) {
      throw error;
    }
    dirty.removeIf(range -> range.isSent && range.verifier == 0);
  }

  /** Afterwards it is sent under one verifier, or durable: then the verifier is 0. */
  private void send(Range range, int stable) throws ProgramError {
    int done = 0;
    long verifier = 0;
    boolean isDurable = true;
    while (done < range.length) {
      int at = range.offset + done;
      byte[] bytes = Arrays.copyOfRange(wanted, at, range.offset + range.length);
      Result written =
          mount.must("WRITE " + name + " at " + at, nfs -> nfs.write(handle, at, stable, bytes));
      if (written.count <= 0 || written.count > bytes.length || written.committed < stable) {
        throw new ProgramError(
            "WRITE of %d bytes to %s, %d: %d bytes, committed %d"
                .formatted(bytes.length, name, stable, written.count, written.committed));
      }
      findings.count("bytes written", written.count);
      findings.count("writes");
      if (written.committed == UNSTABLE) {
        isDurable = false;
        if (verifier != 0 && verifier != written.verifier) {
          // The gateway was another one in the midst: all of it is sent again.
          findings.count("verifiers that changed in a write");
          done = 0;
          verifier = 0;
          continue;
        }
        verifier = written.verifier;
      }
      done += written.count;
    }
    range.verifier = isDurable ? 0 : verifier;
    range.isSent = true;
  }

  private void commit() throws ProgramError {
    flush();
    while (!dirty.isEmpty()) {
      long verifier = mount.must("COMMIT " + name, nfs -> nfs.commit(handle, 0, 0)).verifier;
      findings.count("commits");
      for (Range range : dirty) {
        if (range.verifier == verifier && range.stale != null) {
          throw range.stale;
        }
      }
      dirty.removeIf(range -> range.verifier == verifier);
      for (Range range : dirty) {
        findings.count("writes sent again for their verifier");
        range.isSent = false;
        range.stale = null;
      }
      flush();
    }
  }

  private void cut() throws ProgramError {
    int next = random.nextInt(MAX_BYTES);
    Nfs3Client.Set set = Nfs3Client.Set.size(next);
    mount.must("SETATTR of the length of " + name, nfs -> nfs.setAttr(handle, set, null));
    findings.count("lengths set");
    if (next < size) {
      Arrays.fill(wanted, next, size, (byte) 0);
    }
    size = next;
  }

  /** Removes it and makes another one of its name. */
  private void replace() throws ProgramError {
    mount.must("REMOVE " + name, nfs -> nfs.remove(directory, name));
    Arrays.fill(wanted, (byte) 0);
    create();
    findings.count("files replaced");
  }

  private void verify(HardMount by, boolean whole) throws ProgramError {
    byte[] found = by.must("LOOKUP " + name, nfs -> nfs.lookup(directory, name)).handle;
    if (!Arrays.equals(handle, found)) {
      throw new ProgramError(name + " has another handle");
    }
    Result attributes = by.must("GETATTR " + name, nfs -> nfs.getAttr(handle));
    if (attributes.node.size() != size) {
      throw new ProgramError(
          name + " is " + size + " bytes long, GETATTR says " + attributes.node.size());
    }
    if (whole) {
      compare(by, 0, size);
      return;
    }
    for (int i = 0; i < 8 && size > 0; i++) {
      int from = random.nextInt(size);
      compare(by, from, Math.min(size, from + 1 + random.nextInt(PIECE)));
    }
  }

  private void compare(HardMount by, int from, int to) throws ProgramError {
    int at = from;
    while (at < to) {
      int offset = at;
      int count = Math.min(4 * PIECE, to - at);
      Result read = by.must("READ " + name, nfs -> nfs.read(handle, offset, count));
      if (read.data.length == 0 || read.data.length > count || read.count != read.data.length) {
        throw new ProgramError(
            "READ of %d bytes of %s at %d, which is %d long: %d bytes"
                .formatted(count, name, offset, size, read.data.length));
      }
      if (read.end != (offset + read.count == size)) {
        throw new ProgramError(
            "READ of %s up to %d of %d bytes says eof %s"
                .formatted(name, offset + read.count, size, read.end));
      }
      int wrong = Arrays.mismatch(read.data, Arrays.copyOfRange(wanted, at, at + read.count));
      if (wrong >= 0) {
        throw new ProgramError(difference(at + wrong, read.data, wrong));
      }
      findings.count("bytes compared", read.count);
      at += read.count;
    }
  }

  private String difference(int at, byte[] data, int index) {
    int to = Math.min(data.length, index + SHOWN_BYTES);
    byte[] found = Arrays.copyOfRange(data, index, to);
    String from = "nothing that was written here";
    for (long write = writes; write > 0; write--) {
      boolean same = true;
      for (int i = 0; i < found.length && same; i++) {
        same = found[i] == pattern(write, at + i);
      }
      if (same) {
        from = "write " + write + " of " + writes;
        break;
      }
    }
    return "%s at %d: %s in place of %s; it is of %s"
        .formatted(
            name,
            at,
            java.util.HexFormat.of().formatHex(found),
            java.util.HexFormat.of().formatHex(wanted, at, at + found.length),
            from);
  }
}
