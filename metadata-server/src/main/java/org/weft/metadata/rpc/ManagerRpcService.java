package org.weft.metadata.rpc;

import com.google.protobuf.MessageLite;
import org.weft.metadata.serving.AnswerSink;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.rpc.InboundRequest;
import org.weft.protocol.rpc.RpcException;
import org.weft.protocol.rpc.RpcService;

/** Answers the requests of clients. Called on event loops: reads, hands over, and returns. */
public final class ManagerRpcService implements RpcService {
  private final Volumes volumes;

  public ManagerRpcService(Volumes volumes) {
    this.volumes = volumes;
  }

  @Override
  public void handle(InboundRequest request) {
    try {
      VolumeOperation read = RequestReader.read(request);
      volumes.submit(read.volumeId(), read.caller(), read.operation(), new Sink(request));
    } catch (RpcException e) {
      request.fail(e);
    }
  }

  private record Sink(InboundRequest request) implements AnswerSink {
    @Override
    public void reply(MessageLite body, Lsn seen) {
      request.reply(body);
    }

    @Override
    public void refuse(RpcException why) {
      request.fail(why);
    }

    @Override
    public boolean abandoned() {
      return request.cancelled();
    }
  }
}
