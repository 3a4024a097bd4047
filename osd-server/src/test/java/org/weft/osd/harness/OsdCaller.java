package org.weft.osd.harness;

import com.google.protobuf.MessageLite;
import com.google.protobuf.Parser;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.weft.protocol.capability.SignedCapability;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.rpc.Opcode;
import org.weft.protocol.rpc.Payload;
import org.weft.protocol.rpc.RpcConnection;
import org.weft.protocol.rpc.RpcReply;
import org.weft.protocol.rpc.RpcRequest;
import org.weft.protocol.wire.BatchReply;
import org.weft.protocol.wire.BatchRequest;
import org.weft.protocol.wire.BlockRun;
import org.weft.protocol.wire.ComponentTag;
import org.weft.protocol.wire.FenceReply;
import org.weft.protocol.wire.FenceRequest;
import org.weft.protocol.wire.FlushReply;
import org.weft.protocol.wire.FlushRequest;
import org.weft.protocol.wire.GetAttributesReply;
import org.weft.protocol.wire.GetAttributesRequest;
import org.weft.protocol.wire.GetStampReply;
import org.weft.protocol.wire.GetStampRequest;
import org.weft.protocol.wire.ListReply;
import org.weft.protocol.wire.ListRequest;
import org.weft.protocol.wire.OsdStatusReply;
import org.weft.protocol.wire.OsdStatusRequest;
import org.weft.protocol.wire.PunchRequest;
import org.weft.protocol.wire.RaiseVersionReply;
import org.weft.protocol.wire.RaiseVersionRequest;
import org.weft.protocol.wire.RangeReply;
import org.weft.protocol.wire.ReadReply;
import org.weft.protocol.wire.ReadRequest;
import org.weft.protocol.wire.RemoveReply;
import org.weft.protocol.wire.RemoveRequest;
import org.weft.protocol.wire.SetAttributesReply;
import org.weft.protocol.wire.SetAttributesRequest;
import org.weft.protocol.wire.TruncateRequest;
import org.weft.protocol.wire.WriteBlocksReply;
import org.weft.protocol.wire.WriteBlocksRequest;
import org.weft.protocol.wire.WriteReply;
import org.weft.protocol.wire.WriteRequest;

/** Calls an OSD over a connection and waits for the answers. */
public record OsdCaller(RpcConnection connection) {
  private static final int TIMEOUT_MILLIS = 30_000;

  /** A component of a file of k = 4, m = 1 with units of 64 KiB. */
  public static final ComponentTag TAG =
      ComponentTag.newBuilder()
          .setMapGeneration(1)
          .setComponentIndex(2)
          .setDataUnits(4)
          .setParityUnits(1)
          .setUnitBytes(64 << 10)
          .setGroups(1)
          .setGroupDepth(2_000)
          .build();

  /** What a READ brought: the reply, and the range as bytes, every block checked. */
  public record Content(ReadReply reply, byte[] bytes) {}

  public CompletableFuture<RpcReply> send(
      Opcode opcode, MessageLite body, byte[] payload, byte[] secret) {
    Payload bytes = payload.length == 0 ? Payload.EMPTY : Payload.of(ByteBuffer.wrap(payload));
    return connection.call(new RpcRequest(opcode, body, bytes, TIMEOUT_MILLIS, secret));
  }

  public <T> T call(
      Opcode opcode, MessageLite body, byte[] payload, byte[] secret, Parser<T> parser)
      throws WeftException {
    return wait(send(opcode, body, payload, secret)).parse(parser);
  }

  /** The answer, or the failure that it is. */
  public static <T> T wait(CompletableFuture<T> future) throws WeftException {
    try {
      return future.get(2L * TIMEOUT_MILLIS, TimeUnit.MILLISECONDS);
    } catch (ExecutionException e) {
      throw WeftException.of(e);
    } catch (InterruptedException | TimeoutException e) {
      throw new AssertionError("a call was never answered", e);
    }
  }

  /** A write of one stripe under the capability's grant: the checksums are filled in. */
  public static WriteRequest.Builder writeOf(
      long object, long grant, long seq, long offsetBytes, byte[] bytes) {
    return WriteRequest.newBuilder()
        .setObjectId(object)
        .setOffset(offsetBytes)
        .addAllBlockCrc(Blocks.crcs(offsetBytes, bytes))
        .setGrant(grant)
        .setFirstSeq(seq)
        .setSeqCount(1)
        .setEof(offsetBytes + bytes.length);
  }

  public WriteReply write(SignedCapability capability, WriteRequest.Builder request, byte[] bytes)
      throws WeftException {
    WriteRequest body = request.setCapability(capability.encoded()).build();
    return call(Opcode.WRITE, body, bytes, capability.secret(), WriteReply.parser());
  }

  public Content read(SignedCapability capability, ReadRequest.Builder request)
      throws WeftException {
    ReadRequest body = request.setCapability(capability.encoded()).build();
    RpcReply reply = wait(send(Opcode.READ, body, new byte[0], capability.secret()));
    try {
      return content(body, reply.parseBody(ReadReply.parser()), reply.payload());
    } finally {
      reply.payload().release();
    }
  }

  public Content read(SignedCapability capability, long object, long offsetBytes, int lengthBytes)
      throws WeftException {
    return read(
        capability,
        ReadRequest.newBuilder().setObjectId(object).setOffset(offsetBytes).setLength(lengthBytes));
  }

  private static Content content(ReadRequest request, ReadReply reply, Payload payload) {
    byte[] stored = new byte[payload.lengthBytes()];
    ByteBuffer into = ByteBuffer.wrap(stored);
    payload.buffers().forEach(into::put);
    byte[] range = new byte[request.getLength()];
    int at = 0;
    int block = 0;
    for (BlockRun run : reply.getRunsList()) {
      for (int i = 0; i < run.getBlockCount(); i++) {
        int crc = Blocks.crc(stored, at, Blocks.BLOCK_BYTES);
        if (crc != reply.getBlockCrc(block)) {
          throw new AssertionError("block " + (run.getFirstBlock() + i) + " has a bad checksum");
        }
        copy(stored, at, (run.getFirstBlock() + i) * Blocks.BLOCK_BYTES, range, request);
        at += Blocks.BLOCK_BYTES;
        block++;
      }
    }
    if (at != stored.length || block != reply.getBlockCrcCount()) {
      throw new AssertionError("payload, runs and checksums of a read do not agree");
    }
    return new Content(reply, range);
  }

  private static void copy(
      byte[] stored, int at, long blockOffset, byte[] range, ReadRequest request) {
    long from = Math.max(blockOffset, request.getOffset());
    long to = Math.min(blockOffset + Blocks.BLOCK_BYTES, request.getOffset() + request.getLength());
    if (from < to) {
      System.arraycopy(
          stored,
          at + (int) (from - blockOffset),
          range,
          (int) (from - request.getOffset()),
          (int) (to - from));
    }
  }

  public GetStampReply stamps(SignedCapability capability, GetStampRequest.Builder request)
      throws WeftException {
    return call(
        Opcode.GET_STAMP,
        request.setCapability(capability.encoded()).build(),
        new byte[0],
        capability.secret(),
        GetStampReply.parser());
  }

  /** Whole blocks from memory; checksums and LSNs as given. */
  public WriteBlocksReply writeBlocks(
      SignedCapability capability, WriteBlocksRequest.Builder request, byte[] bytes)
      throws WeftException {
    return call(
        Opcode.WRITE_BLOCKS,
        request.setCapability(capability.encoded()).build(),
        bytes,
        capability.secret(),
        WriteBlocksReply.parser());
  }

  /** One block of a directory with its LSN, made with the object if need be. */
  public static WriteBlocksRequest.Builder blocksOf(
      long object, long lsn, List<Long> numbers, byte[] bytes) {
    WriteBlocksRequest.Builder request =
        WriteBlocksRequest.newBuilder()
            .setObjectId(object)
            .addAllBlockCrc(Blocks.crcs(0, bytes))
            .setCreate(TAG);
    for (long number : numbers) {
      request.addNumber(number).addLsn(lsn);
    }
    return request;
  }

  public GetAttributesReply attributes(SignedCapability capability, long object, Integer... pages)
      throws WeftException {
    return call(
        Opcode.GET_ATTRIBUTES,
        GetAttributesRequest.newBuilder()
            .setCapability(capability.encoded())
            .setObjectId(object)
            .addAllPage(Arrays.asList(pages))
            .build(),
        new byte[0],
        capability.secret(),
        GetAttributesReply.parser());
  }

  public SetAttributesReply setAttributes(
      SignedCapability capability, SetAttributesRequest.Builder request) throws WeftException {
    return call(
        Opcode.SET_ATTRIBUTES,
        request.setCapability(capability.encoded()).build(),
        new byte[0],
        capability.secret(),
        SetAttributesReply.parser());
  }

  public RemoveReply remove(SignedCapability capability, long object, long lsn)
      throws WeftException {
    return call(
        Opcode.REMOVE,
        RemoveRequest.newBuilder()
            .setCapability(capability.encoded())
            .setObjectId(object)
            .setLsn(lsn)
            .build(),
        new byte[0],
        capability.secret(),
        RemoveReply.parser());
  }

  public ListReply list(SignedCapability capability, long after, int max) throws WeftException {
    return call(
        Opcode.LIST,
        ListRequest.newBuilder()
            .setCapability(capability.encoded())
            .setAfterObjectId(after)
            .setMax(max)
            .build(),
        new byte[0],
        capability.secret(),
        ListReply.parser());
  }

  public FlushReply flush(SignedCapability capability, long object) throws WeftException {
    return call(
        Opcode.FLUSH,
        FlushRequest.newBuilder().setCapability(capability.encoded()).setObjectId(object).build(),
        new byte[0],
        capability.secret(),
        FlushReply.parser());
  }

  public RangeReply truncate(SignedCapability capability, TruncateRequest.Builder request)
      throws WeftException {
    return call(
        Opcode.TRUNCATE,
        request.setCapability(capability.encoded()).build(),
        new byte[0],
        capability.secret(),
        RangeReply.parser());
  }

  public RangeReply punch(SignedCapability capability, PunchRequest.Builder request)
      throws WeftException {
    return call(
        Opcode.PUNCH,
        request.setCapability(capability.encoded()).build(),
        new byte[0],
        capability.secret(),
        RangeReply.parser());
  }

  public RaiseVersionReply raiseVersion(SignedCapability capability, long object, long version)
      throws WeftException {
    return call(
        Opcode.RAISE_VERSION,
        RaiseVersionRequest.newBuilder()
            .setCapability(capability.encoded())
            .setObjectId(object)
            .setVersion(version)
            .build(),
        new byte[0],
        capability.secret(),
        RaiseVersionReply.parser());
  }

  public FenceReply fence(SignedCapability capability, long epoch) throws WeftException {
    return call(
        Opcode.FENCE,
        FenceRequest.newBuilder().setCapability(capability.encoded()).setEpoch(epoch).build(),
        new byte[0],
        capability.secret(),
        FenceReply.parser());
  }

  /** A manager says that SysMgr has given that start of the OSD up. */
  public FenceReply givenUp(
      SignedCapability capability, long epoch, long incarnation, long quarantine)
      throws WeftException {
    return call(
        Opcode.FENCE,
        FenceRequest.newBuilder()
            .setCapability(capability.encoded())
            .setEpoch(epoch)
            .setIncarnation(incarnation)
            .setQuarantine(quarantine)
            .build(),
        new byte[0],
        capability.secret(),
        FenceReply.parser());
  }

  public OsdStatusReply status() throws WeftException {
    return call(
        Opcode.OSD_STATUS,
        OsdStatusRequest.getDefaultInstance(),
        new byte[0],
        null,
        OsdStatusReply.parser());
  }

  public BatchReply batch(BatchRequest request, List<byte[]> secrets) throws WeftException {
    return wait(connection.call(RpcRequest.batch(request, secrets, TIMEOUT_MILLIS)))
        .parse(BatchReply.parser());
  }
}
