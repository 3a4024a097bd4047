package org.weft.nfs.locks.procedure;

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
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.client.ids.NodeId;
import org.weft.nfs.exports.Export;
import org.weft.nfs.exports.ExportTable;
import org.weft.nfs.exports.Gatekeeper;
import org.weft.nfs.exports.HandleCodec;
import org.weft.nfs.exports.Policy;
import org.weft.nfs.exports.Squash;
import org.weft.nfs.locks.ClientLocks;
import org.weft.nfs.locks.LockPeer;
import org.weft.nfs.locks.UnreachedLocks;
import org.weft.nfs.model.ModelGateway;
import org.weft.nfs.nlm.NetObject;
import org.weft.nfs.nlm.NlmHolder;
import org.weft.nfs.nlm.NlmLock;
import org.weft.nfs.nlm.NlmMessage;
import org.weft.nfs.nlm.NlmProcedure;
import org.weft.nfs.nlm.NlmRange;
import org.weft.nfs.nlm.NlmShare;
import org.weft.nfs.nlm.NlmStatus;
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
import org.weft.protocol.system.SystemEnvironment;

/**
 * Arguments of all procedures, whole, damaged, cut and random, to a gateway that has not reached
 * its cluster. Each is answered or called malformed, and no reply is longer than stated.
 */
class NlmFuzzTest {
  private static final int ROUNDS = Integer.getInteger("weft.nfs.fuzz", 20_000);

  private final NodeId root = NodeId.of(1, 1);
  private final Export export = new Export(1, "/", root, List.of(), false, Squash.NONE, true);
  private final HandleCodec handles =
      new HandleCodec(new ClusterId("0".repeat(32)), 1, new byte[HandleCodec.KEY_BYTES]);
  private final Gatekeeper gate =
      new Gatekeeper(
          () ->
              new Policy(
                  1, Optional.of(handles), new ExportTable(List.of(export)), ModelGateway.NUMBERS));
  private final RpcCall call =
      new RpcCall(
          1,
          NlmProcedure.PROGRAM,
          NlmProcedure.VERSION,
          0,
          new RpcCredential.Sys(0, "fuzz", 0, 0, List.of()),
          new InetSocketAddress(InetAddress.getLoopbackAddress(), 700),
          new InetSocketAddress(InetAddress.getLoopbackAddress(), 2_049),
          CallMark.NONE);
  private Random random;

  /** Results that clients are called with; from any thread. */
  private final AtomicInteger results = new AtomicInteger();

  private CompletableFuture<Void> called(LockPeer peer, NlmProcedure result, NlmMessage message) {
    assertTrue(XdrWriter.bytes(message::write).length <= 2 * (NetObject.MAX_BYTES + 64));
    results.incrementAndGet();
    return CompletableFuture.completedFuture(null);
  }

  private NetObject bytes(int most) {
    byte[] bytes = new byte[random.nextInt(most + 1)];
    random.nextBytes(bytes);
    return new NetObject(bytes);
  }

  private NetObject handle() {
    return random.nextInt(4) == 0 ? bytes(64) : new NetObject(gate.handle(export, root));
  }

  private long offset() {
    long[] odd = {0, 1, -1, Long.MAX_VALUE, Long.MIN_VALUE, 100, Long.MAX_VALUE - 1};
    return odd[random.nextInt(odd.length)];
  }

  private byte[] arguments(int procedure) {
    NlmLock lock =
        new NlmLock(
            "host:" + random.nextInt(3),
            handle(),
            bytes(NetObject.MAX_BYTES),
            random.nextInt(),
            new NlmRange(offset(), offset()));
    NetObject cookie = bytes(NetObject.MAX_BYTES);
    boolean yes = random.nextBoolean();
    NlmMessage message =
        switch (procedure) {
          case 1, 5, 6, 10 -> new NlmMessage.Test(cookie, yes, lock);
          case 2, 7, 22 -> new NlmMessage.Lock(cookie, random.nextBoolean(), yes, lock, !yes, 1);
          case 3, 8 -> new NlmMessage.Cancel(cookie, true, yes, lock);
          case 4, 9 -> new NlmMessage.Unlock(cookie, lock);
          case 11 -> tested(cookie, lock);
          case 12, 13, 14, 15 -> new NlmMessage.Answer(cookie, NlmStatus.GRANTED);
          case 20, 21 ->
              new NlmMessage.Share(
                  cookie, new NlmShare("host", handle(), bytes(9), 1, 2), random.nextBoolean());
          default -> new NlmMessage.FreeAll("host:1", random.nextInt(3));
        };
    return XdrWriter.bytes(message::write);
  }

  private NlmMessage.Tested tested(NetObject cookie, NlmLock lock) {
    return random.nextBoolean()
        ? new NlmMessage.Tested(cookie, NlmStatus.GRANTED, Optional.empty())
        : new NlmMessage.Tested(
            cookie,
            NlmStatus.DENIED,
            Optional.of(new NlmHolder(true, lock.process(), lock.owner(), lock.range())));
  }

  private byte[] damaged(byte[] whole) {
    byte[] bytes = Arrays.copyOf(whole, whole.length);
    switch (random.nextInt(6)) {
      case 0 -> {
        return Arrays.copyOf(bytes, random.nextInt(bytes.length + 1));
      }
      case 1 -> random.nextBytes(bytes);
      case 2 -> {
        int[] odd = {-1, Integer.MAX_VALUE, Integer.MIN_VALUE, 0, 1, 1_025, random.nextInt()};
        ByteBuffer.wrap(bytes)
            .putInt(random.nextInt(bytes.length / 4) * 4, odd[random.nextInt(odd.length)]);
      }
      case 3 -> bytes[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(8));
      default -> {}
    }
    return bytes;
  }

  @ParameterizedTest
  @ValueSource(longs = {95_450_000, 95_450_001})
  void anyArgumentsAreAnsweredOrMalformed(long seed) {
    random = new Random(seed);
    int malformed = 0;
    int answered = 0;
    try (SystemEnvironment system = SystemEnvironment.create();
        ClientLocks locks = UnreachedLocks.in(system.environment())) {
      Map<Integer, RpcProcedure> procedures = new Nlm4(locks, gate, this::called).procedures();
      List<Integer> numbers = new ArrayList<>(procedures.keySet());
      for (int round = 0; round < ROUNDS; round++) {
        int number = numbers.get(random.nextInt(numbers.size()));
        RpcTask task;
        try {
          task = procedures.get(number).read(XdrReader.of(damaged(arguments(number))));
        } catch (MalformedXdrException e) {
          malformed++;
          continue;
        }
        if (number == 2 || number == 7 || number == 20 || number == 22) {
          // A reclaim waits for the cluster; its answers are not looked at here.
          continue;
        }
        OncReply reply = task.run(call).toCompletableFuture().join();
        byte[] result = XdrWriter.bytes(reply::write);
        assertTrue(result.length <= task.mostReplyBytes(), "procedure " + number);
        answered++;
      }
    }
    assertTrue(malformed > 1_000 && answered > 1_000, malformed + " malformed, " + answered);
    assertTrue(results.get() > 100, results + " results");
  }
}
