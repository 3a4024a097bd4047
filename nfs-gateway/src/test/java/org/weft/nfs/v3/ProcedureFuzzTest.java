package org.weft.nfs.v3;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.nfs.exports.Export;
import org.weft.nfs.exports.ExportTable;
import org.weft.nfs.exports.Gatekeeper;
import org.weft.nfs.exports.HandleCodec;
import org.weft.nfs.exports.Policy;
import org.weft.nfs.exports.Squash;
import org.weft.nfs.files.FileId;
import org.weft.nfs.model.ModelFileService;
import org.weft.nfs.model.ModelGateway;
import org.weft.nfs.oncrpc.CallMark;
import org.weft.nfs.oncrpc.MalformedXdrException;
import org.weft.nfs.oncrpc.RpcCall;
import org.weft.nfs.oncrpc.RpcCredential;
import org.weft.nfs.oncrpc.RpcProcedure;
import org.weft.nfs.oncrpc.RpcReply;
import org.weft.nfs.oncrpc.RpcTask;
import org.weft.nfs.oncrpc.XdrReader;
import org.weft.nfs.oncrpc.XdrWriter;
import org.weft.protocol.id.ClusterId;
import org.weft.protocol.id.ObjectId;

/**
 * Arguments of all procedures, whole, damaged, cut and random: each is answered or called
 * malformed, never by a mistake of the program, and no reply is longer than was said.
 */
class ProcedureFuzzTest {
  /** For each seed. */
  private static final int ROUNDS = Integer.getInteger("weft.nfs.fuzz", 40_000);

  private static final int SERVERFAULT = 10_006;

  private final ModelFileService files = new ModelFileService(1 << 20);
  private final Export export =
      new Export(1, "/", files.root(), List.of(), false, Squash.NONE, true);
  private final HandleCodec handles =
      new HandleCodec(new ClusterId("0".repeat(32)), 1, new byte[HandleCodec.KEY_BYTES]);
  private final Gatekeeper gate =
      new Gatekeeper(
          () ->
              new Policy(
                  1, Optional.of(handles), new ExportTable(List.of(export)), ModelGateway.NUMBERS));
  private final Map<Integer, RpcProcedure> procedures = new Nfs3(files, gate).procedures();
  private final RpcCall call =
      new RpcCall(
          1,
          Nfs3.PROGRAM,
          Nfs3.VERSION,
          0,
          new RpcCredential.Sys(0, "fuzz", 0, 0, List.of()),
          new InetSocketAddress(InetAddress.getLoopbackAddress(), 700),
          new InetSocketAddress(InetAddress.getLoopbackAddress(), 2_049),
          CallMark.NONE);

  private Random random;

  private byte[] handle() {
    long object = random.nextInt(8) == 0 ? random.nextLong() : (1L << 16) + random.nextInt(40);
    return random.nextInt(3) == 0
        ? gate.handle(export, files.root())
        : gate.handle(export, new FileId(files.root().volume(), new ObjectId(object)));
  }

  private byte[] name() {
    String[] names = {"a", "b", "c", "d", ".", "..", "", "x".repeat(255), "x".repeat(256), "a/b"};
    return names[random.nextInt(names.length)].getBytes(StandardCharsets.UTF_8);
  }

  private void attributes(XdrWriter out) {
    for (int i = 0; i < 3; i++) {
      boolean set = random.nextBoolean();
      out.bool(set);
      if (set) {
        out.int32(i == 0 ? random.nextInt(010000) : random.nextInt(3));
      }
    }
    boolean size = random.nextInt(4) == 0;
    out.bool(size);
    if (size) {
      out.int64(random.nextInt(5_000));
    }
    for (int i = 0; i < 2; i++) {
      int how = random.nextInt(3);
      out.int32(how);
      if (how == 2) {
        out.int32(random.nextInt()).int32(random.nextInt(1_000_000_000));
      }
    }
  }

  /** Arguments that can be read. */
  private byte[] arguments(int procedure) {
    return XdrWriter.bytes(
        out -> {
          out.opaque(handle());
          switch (procedure) {
            case 2 -> {
              attributes(out);
              out.bool(false);
            }
            case 3, 12, 13 -> out.opaque(name());
            case 4 -> out.int32(random.nextInt(64));
            case 6 -> out.int64(random.nextInt(9_000)).int32(random.nextInt(9_000));
            case 7 -> {
              byte[] data = new byte[random.nextInt(5_000)];
              out.int64(random.nextInt(9_000)).int32(data.length).int32(random.nextInt(3));
              out.opaque(data);
            }
            case 8 -> {
              int how = random.nextInt(3);
              out.opaque(name()).int32(how);
              if (how == 2) {
                out.int64(random.nextInt(3));
              } else {
                attributes(out);
              }
            }
            case 9 -> {
              out.opaque(name());
              attributes(out);
            }
            case 10 -> {
              out.opaque(name());
              attributes(out);
              out.opaque(new byte[random.nextInt(5_000)]);
            }
            case 11 -> {
              int type = random.nextInt(9);
              out.opaque(name()).int32(type);
              attributes(out);
              out.int32(1).int32(2);
            }
            case 14 -> out.opaque(name()).opaque(handle()).opaque(name());
            case 15 -> out.opaque(handle()).opaque(name());
            case 16 -> out.int64(random.nextInt(9)).int64(0).int32(random.nextInt(3_000));
            case 17 ->
                out.int64(random.nextInt(9))
                    .int64(0)
                    .int32(random.nextInt(3_000))
                    .int32(random.nextInt(9_000));
            case 21 -> out.int64(random.nextInt(9_000)).int32(random.nextInt(9_000));
            default -> {}
          }
        });
  }

  private byte[] damaged(byte[] whole) {
    byte[] bytes = Arrays.copyOf(whole, whole.length);
    switch (random.nextInt(6)) {
      case 0 -> {
        return Arrays.copyOf(bytes, random.nextInt(bytes.length + 1));
      }
      case 1 -> random.nextBytes(bytes);
      case 2 -> {
        ByteBuffer words = ByteBuffer.wrap(bytes);
        int[] odd = {-1, Integer.MAX_VALUE, Integer.MIN_VALUE, 0, 1, 65, 1 << 20, random.nextInt()};
        for (int i = random.nextInt(3); i >= 0; i--) {
          words.putInt(random.nextInt(bytes.length / 4) * 4, odd[random.nextInt(odd.length)]);
        }
      }
      case 3 -> bytes[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(8));
      default -> {}
    }
    return bytes;
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4})
  void anyArgumentsAreAnsweredOrMalformed(long seed) {
    random = new Random(seed);
    int[] statuses = new int[3];
    List<Integer> numbers = new ArrayList<>(procedures.keySet());
    for (int round = 0; round < ROUNDS; round++) {
      int number = numbers.get(random.nextInt(numbers.size()));
      byte[] arguments = damaged(arguments(number));
      RpcTask task;
      try {
        task = procedures.get(number).read(XdrReader.of(arguments));
      } catch (MalformedXdrException e) {
        statuses[0]++;
        continue;
      }
      if (random.nextInt(50) == 0) {
        task.drop();
        continue;
      }
      RpcReply reply = task.run(call).toCompletableFuture().join();
      byte[] result = XdrWriter.bytes(reply::write);
      int status = ByteBuffer.wrap(result).getInt();
      assertNotEquals(SERVERFAULT, status, "procedure " + number);
      assertTrue(
          result.length <= task.mostReplyBytes(),
          "procedure " + number + " answers with " + result.length + " bytes");
      statuses[status == 0 ? 1 : 2]++;
    }
    assertEquals(0, files.unreleased());
    for (int count : statuses) {
      assertTrue(count > 1_000, "each outcome is met often: " + Arrays.toString(statuses));
    }
  }
}
