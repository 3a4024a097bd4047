package org.weft.osd.contract;

import static org.weft.osd.contract.ContractCalls.BLOCK;
import static org.weft.osd.contract.ContractCalls.TAG;
import static org.weft.osd.contract.ContractCalls.UNIT;
import static org.weft.osd.contract.ContractCalls.call;

import com.google.protobuf.ByteString;
import com.google.protobuf.Message;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.weft.osd.contract.ContractCalls.Call;
import org.weft.osd.contract.ContractCalls.Party;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.rpc.Opcode;
import org.weft.protocol.wire.CompletionMarkMessage;

/**
 * Commands of a few clients and their manager on one small object, in an order drawn at random:
 * writes of all kinds, again and again, aborted, completed, fenced off, resolved.
 */
final class RandomCourse {
  static final int OBJECT_BYTES = 6 * UNIT;
  private static final long EPOCH = 3;

  private final SplittableRandom random;
  private final Party manager = Party.manager(EPOCH);
  private final List<Writer> writers = new ArrayList<>();
  private long lastIndex = 10;
  private long floor;
  private int truncation;

  /** A write that was sent, and its id. */
  private record Sent(long grant, long firstSeq, int count, Call call) {}

  /** A grant, and what was sent under it. */
  private static final class Writer {
    final long grant;
    final List<Sent> sent = new ArrayList<>();
    long nextSeq = 1;
    long completeUpTo;

    Writer(long grant) {
      this.grant = grant;
    }
  }

  RandomCourse(long seed) {
    random = new SplittableRandom(seed);
    writers.add(new Writer(nextGrant()));
    writers.add(new Writer(nextGrant()));
  }

  Party manager() {
    return manager;
  }

  /** All XOR writes that were sent: (grant, seq). */
  List<long[]> exchanges() {
    List<long[]> ids = new ArrayList<>();
    for (Writer writer : writers) {
      for (Sent sent : writer.sent) {
        if (sent.call().opcode() != Opcode.WRITE) {
          ids.add(new long[] {sent.grant(), sent.firstSeq()});
        }
      }
    }
    return ids;
  }

  /** One that some writes may be pending of. */
  long anyGrant() {
    return writers.get(0).grant;
  }

  private long nextGrant() {
    lastIndex += 10;
    return Lsn.of(EPOCH, lastIndex).value();
  }

  private boolean oneIn(int n) {
    return random.nextInt(n) == 0;
  }

  private <T> T any(List<T> list) {
    return list.get(random.nextInt(list.size()));
  }

  /** One of the newer ones, most of the time. */
  private Writer writer() {
    return oneIn(4) ? any(writers) : writers.get(writers.size() - 1 - random.nextInt(2));
  }

  private Party client(Writer writer) {
    if (oneIn(20)) {
      floor = Math.max(floor, any(writers).grant);
    }
    return Party.client(writer.grant, Math.min(floor, writer.grant));
  }

  private byte[] bytes(int length) {
    byte[] bytes = new byte[length];
    if (!oneIn(8)) {
      random.nextBytes(bytes);
    }
    return bytes;
  }

  /** What the next command is. */
  Call next() {
    Writer writer = writer();
    return switch (random.nextInt(32)) {
      case 0, 1, 2, 3, 4, 5 -> stripes(writer, client(writer));
      case 6, 7, 8, 9 -> exchange(writer, client(writer));
      case 10, 11, 12, 13 -> xor(writer, client(writer));
      case 14, 15, 16 -> again();
      case 17, 18, 19 -> complete(writer);
      case 20, 21, 22 -> abort(writer);
      case 23 -> raise();
      case 24, 25 -> resolving();
      case 26 -> oneIn(2) ? truncate(writer) : punch(writer);
      case 27 -> batch(writer);
      case 28 -> wrong(writer);
      case 29 -> newWriter();
      case 30 -> ask(writer);
      default ->
          switch (random.nextInt(8)) {
            case 0 -> remove();
            case 1 -> flush();
            default -> manager.stamps(0, OBJECT_BYTES);
          };
    };
  }

  private Call keep(Writer writer, long firstSeq, int count, Call call) {
    writer.sent.add(new Sent(writer.grant, firstSeq, count, call));
    writer.nextSeq = Math.max(writer.nextSeq, firstSeq + count);
    return call;
  }

  private long takeSeq(Writer writer) {
    return writer.nextSeq + (oneIn(10) ? 1 : 0);
  }

  private long mark(Writer writer) {
    if (oneIn(3)) {
      long last = writer.nextSeq - 1 - random.nextInt(3);
      writer.completeUpTo = Math.max(writer.completeUpTo, last);
    }
    return writer.completeUpTo;
  }

  private int truncationNumber() {
    if (oneIn(40)) {
      truncation++;
    }
    return oneIn(20) ? Math.max(0, truncation - 1) : truncation;
  }

  private long eof(long end) {
    return oneIn(4) ? end + random.nextInt(100_000) : end;
  }

  private Call stripes(Writer writer, Party party) {
    int unit = random.nextInt(6);
    int units = 1 + random.nextInt(Math.min(3, 6 - unit));
    int from = unit * UNIT + (oneIn(3) ? random.nextInt(UNIT) : 0);
    int end = (unit + units) * UNIT - (oneIn(3) ? random.nextInt(UNIT) : 0);
    if (end <= from) {
      end = (unit + units) * UNIT;
    }
    int count = (end - 1) / UNIT - from / UNIT + 1;
    byte[] bytes = oneIn(15) ? new byte[0] : bytes(end - from);
    long mark = mark(writer);
    long seq = takeSeq(writer);
    var request =
        party
            .write(writer.grant, seq, count, from, bytes)
            .setEof(eof(end))
            .setTruncationNumber(truncationNumber())
            .setCompleteUpTo(mark);
    if (!oneIn(4)) {
      request.setCreate(TAG);
    }
    return keep(writer, seq, count, call(request, bytes));
  }

  private Call exchange(Writer writer, Party party) {
    int unit = random.nextInt(6);
    int inUnit = oneIn(2) ? BLOCK * random.nextInt(2) : random.nextInt(UNIT);
    int length = 1 + random.nextInt(UNIT - inUnit);
    long mark = mark(writer);
    long seq = takeSeq(writer);
    long offset = (long) unit * UNIT + inUnit;
    byte[] bytes = bytes(length);
    var request =
        party
            .exchange(writer.grant, seq, offset, bytes)
            .setEof(eof(offset + length))
            .setTruncationNumber(truncationNumber())
            .setCompleteUpTo(mark);
    return keep(writer, seq, 1, call(request, bytes));
  }

  private Call xor(Writer writer, Party party) {
    int first = random.nextInt(12);
    int blocks = 1 + random.nextInt(2 - first % 2);
    long mark = mark(writer);
    long seq = takeSeq(writer);
    byte[] delta = bytes(blocks * BLOCK);
    var request =
        party
            .xor(writer.grant, seq, (long) first * BLOCK, delta)
            .setEof(eof((long) (first + blocks) * BLOCK))
            .setTruncationNumber(truncationNumber())
            .setCompleteUpTo(mark);
    return keep(writer, seq, 1, call(request, delta));
  }

  /** Something that was sent before, as it was; or by the manager, as if for a dead client. */
  private Call again() {
    Writer writer = writer();
    if (writer.sent.isEmpty()) {
      return stripes(writer, client(writer));
    }
    Sent sent = any(writer.sent);
    return oneIn(3) ? under(manager.capability(), sent.call()) : sent.call();
  }

  private static Call under(ByteString capability, Call call) {
    Message body = (Message) call.body();
    var field = body.getDescriptorForType().findFieldByName("capability");
    return new Call(
        call.opcode(), body.toBuilder().setField(field, capability).build(), call.payload());
  }

  private Call complete(Writer writer) {
    long upTo = Math.max(0, writer.nextSeq - 1 - random.nextInt(4));
    writer.completeUpTo = Math.max(writer.completeUpTo, upTo);
    Party party =
        switch (random.nextInt(8)) {
          case 0 -> manager;
          case 1 -> Party.manager(EPOCH, any(writers).grant);
          default -> client(writer);
        };
    long eof = oneIn(4) ? random.nextInt(200_000) : 0;
    return party.complete(writer.grant, upTo, eof, truncation);
  }

  private Call abort(Writer writer) {
    Party party = oneIn(3) ? manager : client(writer);
    if (writer.sent.isEmpty() || oneIn(6)) {
      // Before it arrives: the write that comes with this id must be refused.
      long seq = writer.nextSeq + random.nextInt(2);
      return party.abort(writer.grant, seq, 1);
    }
    Sent sent = any(writer.sent.subList(Math.max(0, writer.sent.size() - 5), writer.sent.size()));
    if (oneIn(8)) {
      return party.abort(writer.grant, sent.firstSeq() + random.nextInt(2), 1 + random.nextInt(3));
    }
    return party.abort(sent.grant(), sent.firstSeq(), sent.count());
  }

  private Call raise() {
    Writer writer = any(writers);
    return manager.raise(writer.grant + (oneIn(2) ? 5 : 0));
  }

  /** What a manager does in the place of a client, or under its own number. */
  private Call resolving() {
    Writer writer = writer();
    return switch (random.nextInt(6)) {
      case 0 -> stripes(writer, manager);
      case 1 -> xor(writer, manager);
      case 2 -> {
        byte[] bytes = bytes(BLOCK * (1 + random.nextInt(4)));
        long own = oneIn(2) ? Lsn.of(EPOCH, 0).value() : Lsn.of(EPOCH, lastIndex + 5).value();
        long offset = (long) BLOCK * random.nextInt(8);
        yield call(
            manager
                .write(own, 1 + random.nextInt(50), 1, offset, bytes)
                .setTruncationNumber(truncation),
            bytes);
      }
      case 3 -> exchange(writer, manager);
      case 4 -> {
        List<long[]> ids = exchanges();
        long[] id = ids.isEmpty() ? new long[] {writer.grant, 1} : any(ids);
        yield manager.readDelta(id[0], id[1]);
      }
      default -> manager.complete(writer.grant, writer.nextSeq - 1, 0, 0);
    };
  }

  private Call truncate(Writer writer) {
    long blocks = random.nextInt(13);
    truncation += oneIn(2) ? 1 : 0;
    return client(writer)
        .truncate(
            writer.grant,
            takeSeq(writer),
            blocks * BLOCK,
            blocks * BLOCK - (blocks > 0 ? random.nextInt(BLOCK) : 0),
            truncation,
            oneIn(3) ? mark(writer) : writer.nextSeq - 1);
  }

  private Call punch(Writer writer) {
    long from = random.nextInt(12);
    long blocks = random.nextInt((int) (13 - from));
    long upTo = oneIn(3) ? mark(writer) : writer.nextSeq - 1;
    return client(writer).punch(writer.grant, takeSeq(writer), from * BLOCK, blocks * BLOCK, upTo);
  }

  private Call batch(Writer writer) {
    Call[] items = new Call[3];
    for (int i = 0; i < 3; i++) {
      // No writes: what an item may do is looked at before the batch begins, too.
      Call item =
          switch (random.nextInt(3)) {
            case 0 -> complete(writer);
            case 1 -> abort(writer);
            default -> raise();
          };
      items[i] = item;
    }
    return ContractSteps.batch(items);
  }

  /** One thing is wrong with it. */
  private Call wrong(Writer writer) {
    Party own = client(writer);
    Writer other = any(writers);
    byte[] block = bytes(BLOCK);
    long seq = writer.nextSeq + 1_000;
    return switch (random.nextInt(10)) {
      case 0 -> own.abort(other.grant + 1, 1, 1);
      case 1 -> own.complete(other.grant + 1, 5, 0, 0);
      case 2 -> own.listPending();
      case 3 -> own.readDelta(writer.grant, 1);
      case 4 -> own.abort(writer.grant, 0, 1);
      case 5 -> own.abort(writer.grant, seq, 0);
      case 6 -> call(own.exchange(writer.grant, seq, 0, block).setBlockCrc(0, 1), block);
      case 7 -> call(own.xor(writer.grant, seq, 0, block).setBlockCrc(0, 1), block);
      case 8 -> call(own.xor(writer.grant, seq, 1, block), block);
      default -> call(own.exchange(writer.grant, 0, 0, block), block);
    };
  }

  private Call newWriter() {
    writers.add(new Writer(nextGrant()));
    Writer writer = writers.get(writers.size() - 1);
    return stripes(writer, client(writer));
  }

  private Call flush() {
    Writer writer = writer();
    return manager.flushed(
        oneIn(2) ? any(writers).grant : 0,
        CompletionMarkMessage.newBuilder()
            .setGrant(writer.grant)
            .setCompleteUpTo(writer.completeUpTo)
            .build());
  }

  private Call ask(Writer writer) {
    int from = random.nextInt(OBJECT_BYTES);
    int length = random.nextInt(OBJECT_BYTES - from);
    return oneIn(2) ? client(writer).read(from, length) : client(writer).stamps(from, length);
  }

  private Call remove() {
    return manager.remove(
        Lsn.of(EPOCH, 1 + random.nextInt((int) lastIndex)).value(), random.nextBoolean());
  }
}
