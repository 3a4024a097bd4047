package org.weft.nfs.locks;

import com.google.protobuf.ByteString;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.weft.nfs.nlm.NlmShare;
import org.weft.protocol.capability.Hmac;
import org.weft.protocol.layout.ByteRange;
import org.weft.protocol.layout.ByteRanges;

/**
 * A share reservation as locks on ways to open a file (P 6.5a.43). Reading and writing have half of
 * all numbers each, and each owner has one number of its own in either half. To open the file for
 * reading is to share all numbers of that half but the own one. To deny reading to others is to
 * lock the own number alone. So two owners conflict exactly where one opens what the other denies.
 * These locks are kept and reclaimed like others, and so outlive gateways and managers.
 *
 * <p>Own numbers are hashes of 61 bits. Two owners of one file with the same number would not see
 * each other's denials.
 *
 * @param shared the ways in which it opens the file
 * @param exclusive the ways that it denies to others; never a part of the other
 */
record ReservedRanges(ByteRanges shared, ByteRanges exclusive) {
  static final ReservedRanges NONE = new ReservedRanges(ByteRanges.NONE, ByteRanges.NONE);

  private static final int READ = 1;
  private static final int WRITE = 2;
  private static final long NUMBERS = 1L << 61;
  private static final byte[] LABEL = "weft-nfs-reservation".getBytes(StandardCharsets.US_ASCII);

  /** One range to be locked. */
  record Step(ByteRange range, boolean exclusive) {}

  static ReservedRanges of(NlmShare share, ByteString ownerKey) {
    return of(share.access(), share.mode(), ownerKey);
  }

  /** Whatever the owner may have reserved. */
  static ReservedRanges all(ByteString ownerKey) {
    return of(READ | WRITE, READ | WRITE, ownerKey);
  }

  private static ReservedRanges of(int access, int mode, ByteString ownerKey) {
    long own = own(ownerKey);
    ByteRanges shared = ByteRanges.NONE;
    ByteRanges exclusive = ByteRanges.NONE;
    for (int way : new int[] {READ, WRITE}) {
      long start = way == READ ? 0 : NUMBERS;
      ByteRange mine = new ByteRange(start + own, start + own + 1);
      if ((access & way) != 0) {
        shared = shared.plus(new ByteRange(start, start + NUMBERS)).minus(mine);
      }
      if ((mode & way) != 0) {
        exclusive = exclusive.plus(mine);
      }
    }
    return new ReservedRanges(shared, exclusive);
  }

  private static long own(ByteString ownerKey) {
    byte[] digest = Hmac.sha256(LABEL, ownerKey.toByteArray());
    return ByteBuffer.wrap(digest).getLong() & (NUMBERS - 1);
  }

  /** What the owner has reserved, as its gateway knows. */
  static ReservedRanges of(OwnedFile file) {
    return new ReservedRanges(ranges(file.held(false)), ranges(file.held(true)));
  }

  private static ByteRanges ranges(List<ByteRange> list) {
    ByteRanges all = ByteRanges.NONE;
    for (ByteRange each : list) {
      all = all.plus(each);
    }
    return all;
  }

  /** What is to be locked of this by an owner that has the other. */
  List<Step> beyond(ReservedRanges other) {
    List<Step> steps = new ArrayList<>();
    shared.minus(other.shared).list().forEach(range -> steps.add(new Step(range, false)));
    exclusive.minus(other.exclusive).list().forEach(range -> steps.add(new Step(range, true)));
    return steps;
  }

  /** The ways that it opens the file for: 1 reading, 2 writing. */
  int access() {
    return ways(shared);
  }

  /** The ways that it denies to others. */
  int mode() {
    return ways(exclusive);
  }

  private static int ways(ByteRanges ranges) {
    boolean reads = ranges.overlaps(new ByteRange(0, NUMBERS));
    boolean writes = ranges.overlaps(new ByteRange(NUMBERS, 2 * NUMBERS));
    return (reads ? READ : 0) | (writes ? WRITE : 0);
  }
}
