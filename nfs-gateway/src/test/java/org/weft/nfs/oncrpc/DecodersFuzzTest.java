package org.weft.nfs.oncrpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.nfs.exports.ExportTable;
import org.weft.nfs.exports.Gatekeeper;
import org.weft.nfs.exports.Policy;
import org.weft.nfs.locks.ClientLocks;
import org.weft.nfs.locks.Nsm1;
import org.weft.nfs.locks.UnreachedLocks;
import org.weft.nfs.locks.procedure.Nlm4;
import org.weft.nfs.model.ModelFileService;
import org.weft.nfs.model.ModelGateway;
import org.weft.nfs.mount.Mount3;
import org.weft.nfs.nlm.NlmMessage;
import org.weft.nfs.nsm.NsmMessage;
import org.weft.nfs.portmap.Portmapper;
import org.weft.nfs.portmap.Registration;
import org.weft.nfs.v3.Nfs3;
import org.weft.nfs.v3.RandomArguments;
import org.weft.protocol.system.SystemEnvironment;

/**
 * Records of all programs that a gateway serves, and replies that it reads, whole, damaged, cut and
 * random. Each is read or called malformed, without a mistake of the program. No memory is held
 * afterwards. {@code -Dweft.nfs.decoders=N} reads N inputs in place of a few.
 */
class DecodersFuzzTest {
  private static final long INPUTS = Long.getLong("weft.nfs.decoders", 100_000);
  private static final int MAX_RECORD_BYTES = 64 << 10;

  /** Procedures of each program that has more than NFS, and one too many. */
  private static final int MAX_PROCEDURE = 24;

  private static final InetSocketAddress CLIENT =
      new InetSocketAddress(InetAddress.getLoopbackAddress(), 700);
  private static final InetSocketAddress SERVER =
      new InetSocketAddress(InetAddress.getLoopbackAddress(), 2_049);

  private static final List<OncRpcClient.ResultReader<?>> RESULTS =
      List.of(
          NlmMessage.Answer::read,
          NlmMessage.Tested::read,
          NlmMessage.Shared::read,
          NsmMessage.State::read,
          NsmMessage.Watched::read,
          XdrReader::int32,
          in -> in.opaque(400));

  private Random random;
  private RandomArguments some;

  /** How often each came about. */
  private long read;

  private long malformed;
  private long refused;
  private long records;

  @ParameterizedTest
  @ValueSource(longs = {20_261_129})
  void arbitraryInputIsReadOrMalformedAndReleased(long seed) {
    random = new Random(seed);
    some = new RandomArguments(random, () -> bytes(random.nextInt(8) == 0 ? 70 : 48));
    ModelFileService files = new ModelFileService(1 << 20);
    Gatekeeper gate =
        new Gatekeeper(
            () ->
                new Policy(1, Optional.empty(), new ExportTable(List.of()), ModelGateway.NUMBERS));
    try (SystemEnvironment system = SystemEnvironment.create();
        ClientLocks locks = UnreachedLocks.in(system.environment())) {
      List<RpcProgram> served =
          List.of(
              new Nfs3(files, gate).program(),
              new Mount3(
                      files, gate, system.environment().scheduler(), system.environment().ticker())
                  .program(),
              new Nlm4(
                      locks,
                      gate,
                      (peer, procedure, result) -> CompletableFuture.completedFuture(null))
                  .program(),
              new Nsm1(locks, address -> 1).program());
      RpcProgram portmap =
          new Portmapper(Registration.of(served, 2_049), system.environment().clock()).program();
      List<RpcProgram> all = new ArrayList<>(served);
      all.add(portmap);
      Programs programs = new Programs(all);
      Stream stream = new Stream();
      for (long i = 0; i < INPUTS; i++) {
        switch (random.nextInt(16)) {
          case 0 -> reply();
          case 1 -> stream.feed(some.damaged(framed(call(all))));
          default -> call(programs, some.damaged(call(all)));
        }
      }
      stream.end();
    }
    System.out.printf(
        "%,d inputs: %,d read, %,d malformed, %,d refused, %,d records of streams%n",
        INPUTS, read, malformed, refused, records);
    for (long count : new long[] {read, malformed, refused, records}) {
      assertTrue(count > 1_000, "each outcome is met often: " + count);
    }
  }

  private byte[] bytes(int count) {
    byte[] bytes = new byte[count];
    random.nextBytes(bytes);
    return bytes;
  }

  private byte[] call(List<RpcProgram> all) {
    RpcProgram program = all.get(random.nextInt(3) == 0 ? 0 : random.nextInt(all.size()));
    int version = random.nextInt(50) == 0 ? random.nextInt(6) : program.highestVersion();
    if (random.nextInt(8) == 0) {
      version = program.lowestVersion();
    }
    int chosen = version;
    int procedure = random.nextInt(MAX_PROCEDURE);
    return XdrWriter.bytes(
        out -> {
          CallHeader.write(out, 1, program.number(), chosen, procedure, credential());
          if (program.number() == Nfs3.PROGRAM) {
            out.fixedOpaque(some.of(procedure));
          } else {
            arguments(out);
          }
        });
  }

  private RpcCredential credential() {
    return random.nextInt(4) == 0
        ? new RpcCredential.None()
        : new RpcCredential.Sys(1, "host", random.nextInt(), 0, List.of(1, 2, 3));
  }

  /** What arguments of the smaller programs are made of: netobj, string, number and bool. */
  private void arguments(XdrWriter out) {
    List<Consumer<XdrWriter>> parts =
        List.of(
            to -> to.opaque(bytes(random.nextInt(20))),
            to -> to.string("host-" + random.nextInt(9)),
            to -> to.int32(random.nextInt(4)),
            to -> to.int64(random.nextLong()),
            to -> to.bool(random.nextBoolean()),
            to -> to.fixedOpaque(bytes(16)));
    if (random.nextBoolean()) {
      // nlm4_lockargs, so that most of it can be read.
      out.opaque(bytes(4)).bool(true).bool(true).string("host").opaque(bytes(48)).opaque(bytes(9));
      out.int32(1).int64(0).int64(8).bool(false).int32(1);
      return;
    }
    for (int i = random.nextInt(10); i > 0; i--) {
      parts.get(random.nextInt(parts.size())).accept(out);
    }
  }

  private static byte[] framed(byte[] record) {
    byte[] framed = Arrays.copyOf(new byte[Integer.BYTES], Integer.BYTES + record.length);
    ByteBuffer.wrap(framed).putInt(1 << 31 | record.length).put(record);
    return framed;
  }

  private void call(Programs programs, byte[] bytes) {
    // A wrapped array of no bytes would be a constant, which is never released.
    ByteBuf buffer = Unpooled.buffer(Math.max(1, bytes.length)).writeBytes(bytes);
    boolean[] gone = new boolean[1];
    ArrivedRecord record = new ArrivedRecord(buffer, () -> gone[0] = true);
    try {
      XdrReader in = new XdrReader(record);
      CallHeader.Read head = CallHeader.read(record, in, CLIENT, SERVER);
      if (head instanceof CallHeader.Call found && programs.refusal(found.call()).isEmpty()) {
        programs.procedure(found.call()).read(in).drop();
        read++;
      } else {
        refused++;
      }
    } catch (MalformedXdrException e) {
      malformed++;
    } finally {
      record.release();
    }
    assertTrue(gone[0] && buffer.refCnt() == 0, "a record is held");
  }

  private void reply() {
    byte[] whole =
        XdrWriter.bytes(
            out -> {
              ReplyHeader.writeSuccess(out, 1);
              arguments(out);
            });
    XdrReader in = XdrReader.of(some.damaged(whole));
    try {
      in.int32();
      ReplyHeader.readSuccess(in);
      var unused = RESULTS.get(random.nextInt(RESULTS.size())).read(in);
      read++;
    } catch (MalformedXdrException e) {
      malformed++;
    } catch (RpcFailedException e) {
      refused++;
    }
  }

  /** A connection that ends at what is malformed; then there is another one. */
  private final class Stream implements RecordSink {
    private EmbeddedChannel channel;
    private long heldBytes;
    private boolean over = true;

    void feed(byte[] bytes) {
      if (over) {
        end();
        channel = new EmbeddedChannel(new RecordDecoder(this, MAX_RECORD_BYTES, () -> 0));
        over = false;
      }
      channel.writeInbound(Unpooled.directBuffer().writeBytes(bytes));
      assertTrue(heldBytes <= MAX_RECORD_BYTES, heldBytes + " bytes are held");
    }

    void end() {
      if (channel != null) {
        channel.finishAndReleaseAll();
        assertEquals(0, heldBytes, "bytes are held after the connection's end");
        channel = null;
      }
    }

    @Override
    public boolean take(int count, boolean first) {
      heldBytes += count;
      return true;
    }

    @Override
    public void give(int count) {
      heldBytes -= count;
    }

    @Override
    public void arrived(ByteBuf record) {
      heldBytes -= record.readableBytes();
      record.release();
      records++;
    }

    @Override
    public void malformed(String why) {
      over = true;
    }
  }
}
