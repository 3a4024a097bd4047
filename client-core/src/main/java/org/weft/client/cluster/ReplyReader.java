package org.weft.client.cluster;

import com.google.protobuf.Parser;
import java.util.concurrent.CompletionException;
import java.util.function.Function;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.rpc.RpcReply;

/** Reads replies inside chains of futures, where a failure has to travel unchecked. */
public final class ReplyReader {
  private ReplyReader() {}

  /** Parses a reply's body; MALFORMED travels as the cause of a {@link CompletionException}. */
  public static <T> Function<RpcReply, T> parser(Parser<T> parser) {
    return reply -> {
      try {
        return reply.parse(parser);
      } catch (WeftException e) {
        throw new CompletionException(e);
      }
    };
  }

  /** An expected failure as it is thrown inside a chain of futures. */
  public static CompletionException failure(ErrorCode code, String message) {
    return new CompletionException(new WeftException(code, message));
  }
}
