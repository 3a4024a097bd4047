package org.weft.osd.store.engine;

import static org.weft.osd.store.engine.Requests.TAG;
import static org.weft.osd.store.engine.Requests.lsn;
import static org.weft.osd.store.engine.Requests.object;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.random.RandomGenerator;
import java.util.stream.LongStream;
import org.weft.osd.store.mutation.AttributeUpdate;
import org.weft.osd.store.mutation.Mutation;
import org.weft.osd.store.mutation.ObjectPunch;
import org.weft.osd.store.mutation.ObjectRemoval;
import org.weft.osd.store.mutation.ObjectTruncation;
import org.weft.osd.store.mutation.PartitionFence;
import org.weft.osd.store.mutation.VersionRaise;
import org.weft.osd.store.mutation.WriteAbort;
import org.weft.osd.store.mutation.WriteCompletion;
import org.weft.osd.store.mutation.XorApplication;
import org.weft.osd.store.mutation.XorExchange;
import org.weft.osd.store.mutation.XorWrite;
import org.weft.osd.store.value.AttributeValue;
import org.weft.osd.store.value.Authority;
import org.weft.osd.store.value.ByteSpan;
import org.weft.osd.store.value.CompletionMark;
import org.weft.osd.store.value.FileLength;
import org.weft.osd.store.value.WriteNumbers;

/** Mutations of few objects, so that they meet each other; many are refused. */
final class RandomMutations {
  private static final int BLOCK = 4096;
  private static final int UNIT = 65536;

  private static final int REMEMBERED = 12;

  private final RandomGenerator random;
  private final int objects;
  private long sequence = 1;
  private long complete;
  private int truncation;
  private long now = 100;
  private long epoch = 1;
  private long round;
  private final List<Mutation> given = new ArrayList<>();

  RandomMutations(RandomGenerator random, int objects) {
    this.random = random;
    this.objects = objects;
  }

  Mutation next() {
    if (chance(12) && !given.isEmpty()) {
      // A retry, or a duplicate that is late.
      return given.get(random.nextInt(given.size()));
    }
    Mutation fresh = fresh(random.nextInt(100));
    given.add(fresh);
    if (given.size() > REMEMBERED) {
      given.remove(0);
    }
    return fresh;
  }

  private Mutation fresh(int choice) {
    long id = 1 + random.nextInt(objects);
    if (choice < 32) {
      return write(id);
    } else if (choice < 40) {
      return exchange(id);
    } else if (choice < 50) {
      return xor(id);
    } else if (choice < 54) {
      return abort(id);
    } else if (choice < 58) {
      return new WriteCompletion(
          object(id),
          writer(),
          lowest(),
          chance(3) ? random.nextInt(1 << 21) : 0,
          truncation,
          false);
    } else if (choice < 61) {
      return truncation(id);
    } else if (choice < 64) {
      return punch(id);
    } else if (choice < 75) {
      return blocks(id);
    } else if (choice < 85) {
      return attributes(id);
    } else if (choice < 90) {
      now++;
      return new ObjectRemoval(
          object(id), manager(), lsn(recent()), floor(), chance(3), chance(10));
    } else if (choice < 99) {
      return new VersionRaise(object(id), manager(), lsn(recent()));
    }
    epoch += chance(4) ? 1 : 0;
    return new PartitionFence(Rig.PARTITION, chance(2) ? epoch : 1);
  }

  /** A client, or a manager in the place of one that may be dead. */
  private Authority writer() {
    long grant = lsn(chance(4) ? recent() : now);
    return chance(4)
        ? Authority.ofManager(
            chance(20) ? 1 : epoch, grant, chance(8) ? Math.min(lsn(recent()), grant) : 0)
        : Authority.ofClient(grant, chance(8) ? lsn(recent()) : 0);
  }

  /** A number up to which writes may be complete. */
  private long lowest() {
    return Math.max(0, sequence - 1 - random.nextInt(6));
  }

  private Mutation exchange(long id) {
    long offset = random.nextInt(20 * BLOCK);
    byte[] data = bytes(1 + random.nextInt(chance(3) ? 3 * BLOCK : 500));
    long grant = lsn(chance(4) ? recent() : now);
    return new XorExchange(
        xorWrite(id, Authority.ofClient(grant, chance(8) ? lsn(recent()) : 0), offset, data));
  }

  private Mutation xor(long id) {
    long offset = (long) random.nextInt(20) * BLOCK;
    byte[] data = bytes((1 + random.nextInt(3)) * BLOCK);
    return new XorApplication(xorWrite(id, writer(), offset, data));
  }

  private XorWrite xorWrite(long id, Authority by, long offset, byte[] data) {
    // What is drawn is drawn in this order, or seeds would mean something else.
    long own = sequence++;
    FileLength length =
        new FileLength(
            random.nextInt(1 << 21), chance(12) ? Math.max(0, truncation - 1) : truncation);
    long completeUpTo = chance(3) ? lowest() : 0;
    return new XorWrite(
        object(id),
        by,
        new ByteSpan(offset, List.of(ByteBuffer.wrap(data)), Requests.crcs(offset, data)),
        new WriteNumbers(own, 1, List.of(2, 5), completeUpTo),
        length,
        chance(20));
  }

  private Mutation abort(long id) {
    long first = Math.max(1, sequence - random.nextInt(8));
    return new WriteAbort(object(id), writer(), first, chance(4) ? 3 : 1, chance(10));
  }

  private Mutation write(long id) {
    if (chance(10)) {
      now++;
    }
    long first = sequence;
    Requests.Write write;
    if (chance(5)) {
      // A run of stripes; units start anywhere the run does.
      int count = 2 + random.nextInt(4);
      long offset = (long) random.nextInt(10) * UNIT;
      int length = (count - 1) * UNIT + 1 + random.nextInt(UNIT);
      write = Requests.write(id, offset, bytes(length)).sequences(count);
      sequence += count;
    } else {
      int length = chance(10) ? 0 : 1 + random.nextInt(chance(3) ? 5 * BLOCK : 300);
      long offset =
          chance(2)
              ? (long) random.nextInt(40) * BLOCK
              : random.nextInt(chance(4) ? 1 << 20 : 40 * BLOCK);
      write = Requests.write(id, offset, bytes(length));
      sequence++;
    }
    if (chance(2)) {
      complete = sequence - 1 - random.nextInt(3);
    }
    write
        .by(chance(10) ? recent() : now, first)
        .complete(Math.max(0, Math.min(complete, first - 1)));
    write
        .inPieces(1 + random.nextInt(3))
        .eof(random.nextInt(1 << 21), chance(12) ? Math.max(0, truncation - 1) : truncation);
    if (chance(8)) {
      write.noCreate();
    }
    if (chance(4)) {
      write.floor(recent());
    }
    if (chance(4)) {
      write.attributes(page());
    }
    return chance(20) ? write.durable().build() : write.build();
  }

  private Mutation truncation(long id) {
    truncation += chance(3) ? 1 : 0;
    long length = (long) random.nextInt(60) * BLOCK;
    return new ObjectTruncation(
        object(id),
        Authority.ofClient(lsn(chance(6) ? recent() : now), chance(4) ? lsn(recent()) : 0),
        length,
        length + random.nextInt(BLOCK),
        chance(8) ? Math.max(0, truncation - 1) : truncation,
        releasing(),
        Math.max(0, complete),
        0,
        chance(10));
  }

  private Mutation punch(long id) {
    return new ObjectPunch(
        object(id),
        Authority.ofClient(lsn(chance(6) ? recent() : now), chance(4) ? lsn(recent()) : 0),
        (long) random.nextInt(40) * BLOCK,
        (long) random.nextInt(60) * BLOCK,
        releasing(),
        Math.max(0, complete),
        0);
  }

  /** The next sequence number, or one that came before others. */
  private long releasing() {
    return chance(4) ? Math.max(1, sequence - random.nextInt(8)) : sequence++;
  }

  private Mutation blocks(long id) {
    long[] numbers =
        LongStream.generate(() -> random.nextInt(60))
            .limit(1 + random.nextInt(6))
            .distinct()
            .toArray();
    now += chance(3) ? 1 : 0;
    return Requests.blocks(id, recent(), bytes(numbers.length * BLOCK), numbers);
  }

  private Mutation attributes(long id) {
    return new AttributeUpdate(
        object(id),
        manager(),
        chance(3)
            ? List.of(page(), new AttributeValue(9, lsn(recent()), bytes(5)))
            : List.of(page()),
        chance(2) ? Optional.of(TAG) : Optional.empty(),
        marks(),
        floor(),
        floor(),
        false);
  }

  private AttributeValue page() {
    return new AttributeValue(random.nextInt(3), lsn(recent()), bytes(random.nextInt(200)));
  }

  private Authority manager() {
    round += chance(3) ? 1 : 0;
    return Authority.ofManager(chance(20) ? 1 : epoch)
        .inRound(Math.max(0, round - random.nextInt(3)));
  }

  private long floor() {
    return chance(6) ? lsn(recent()) : 0;
  }

  private long recent() {
    return now - random.nextInt(4) + random.nextInt(2);
  }

  private boolean chance(int one) {
    return random.nextInt(one) == 0;
  }

  private byte[] bytes(int length) {
    byte[] bytes = new byte[length];
    if (chance(6)) {
      // Zeros can be punched.
      return bytes;
    }
    Requests.fill(bytes, random);
    return bytes;
  }

  private List<CompletionMark> marks() {
    long grant = chance(2) ? lsn(recent()) : 0;
    long upTo = random.nextLong(sequence + 1);
    return grant == 0 ? List.of() : List.of(new CompletionMark(grant, upTo));
  }
}
