package org.weft.nfs.v3;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.client.ids.NodeId;
import org.weft.nfs.exports.Export;
import org.weft.nfs.exports.ExportTable;
import org.weft.nfs.exports.Gatekeeper;
import org.weft.nfs.exports.HandleCodec;
import org.weft.nfs.exports.Policy;
import org.weft.nfs.exports.Squash;
import org.weft.nfs.model.ModelFileService;
import org.weft.nfs.model.ModelGateway;
import org.weft.nfs.oncrpc.CallMark;
import org.weft.nfs.oncrpc.MalformedXdrException;
import org.weft.nfs.oncrpc.OncReply;
import org.weft.nfs.oncrpc.RpcCall;
import org.weft.nfs.oncrpc.RpcCredential;
import org.weft.nfs.oncrpc.RpcProcedure;
import org.weft.nfs.oncrpc.RpcTask;
import org.weft.nfs.oncrpc.XdrReader;
import org.weft.nfs.oncrpc.XdrWriter;
import org.weft.protocol.id.ClusterId;
import org.weft.protocol.id.ObjectId;

/**
 * Arguments of all procedures, whole, damaged, cut and random. Each is answered or called
 * malformed, without a mistake of the program, and no reply is longer than stated.
 */
class ProcedureFuzzTest {
  /** For each seed. */
  private static final int ROUNDS = Integer.getInteger("weft.nfs.fuzz", 10_000);

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
        : gate.handle(export, new NodeId(files.root().volume(), new ObjectId(object)));
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4})
  void anyArgumentsAreAnsweredOrMalformed(long seed) {
    random = new Random(seed);
    RandomArguments some = new RandomArguments(random, this::handle);
    int[] statuses = new int[3];
    List<Integer> numbers = new ArrayList<>(procedures.keySet());
    for (int round = 0; round < ROUNDS; round++) {
      int number = numbers.get(random.nextInt(numbers.size()));
      byte[] arguments = some.damaged(some.of(number));
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
      OncReply reply = task.run(call).toCompletableFuture().join();
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
      assertTrue(count > ROUNDS / 40, "each outcome is met often: " + Arrays.toString(statuses));
    }
  }
}
