package org.weft.protocol.rpc;

import com.google.protobuf.ByteString;
import com.google.protobuf.CodedInputStream;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.DiscardUnknownFieldsParser;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import com.google.protobuf.Parser;
import com.google.protobuf.WireFormat;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;

/**
 * Parses bodies that any peer may have sent, before it is known whether it may ask at all. What a
 * body becomes in memory is bounded by its length: fields of two bytes would each become an object.
 * So the parts of a large body are counted before anything is made of them, and unknown fields are
 * skipped, not kept.
 */
public final class RequestBody {
  /**
   * Fields with bytes, messages, repeated numbers and unknown fields in one large body: four times
   * what the largest BATCH has.
   */
  static final int MAX_PARTS = 65_536;

  /** Below this a body is parsed without being counted. */
  private static final int LARGE_BYTES = 16 << 10;

  /** A packed number takes as little memory as this share of an object. */
  private static final int PACKED_BYTES_PER_PART = 16;

  private static final int MAX_DEPTH = 32;

  private int parts;

  private RequestBody() {}

  /**
   * Parses a message. Fields that this release does not know are left out.
   *
   * @param parser of a generated message
   * @param what names the body in messages
   * @throws WeftException MALFORMED if it is not such a message, or has more parts than a request
   */
  public static <T> T parse(Parser<T> parser, ByteBuffer body, String what) throws WeftException {
    try {
      if (body.remaining() <= LARGE_BYTES) {
        return skippingUnknown(parser).parseFrom(body.duplicate());
      }
      byte[] bytes = new byte[body.remaining()];
      body.duplicate().get(bytes);
      new RequestBody().count(CodedInputStream.newInstance(bytes), descriptor(parser), 0, what);
      return skippingUnknown(parser).parseFrom(bytes);
    } catch (InvalidProtocolBufferException e) {
      throw malformed(what, e);
    }
  }

  private static WeftException malformed(String what, IOException cause) {
    return new WeftException(
        ErrorCode.MALFORMED,
        "the body of " + what + " is not the message it should be: " + cause.getMessage(),
        cause);
  }

  @SuppressWarnings("unchecked") // Every parser here is that of a generated message.
  private static <T> Parser<T> skippingUnknown(Parser<T> parser) {
    return (Parser<T>) DiscardUnknownFieldsParser.wrap((Parser<Message>) parser);
  }

  private static Descriptor descriptor(Parser<?> parser) throws InvalidProtocolBufferException {
    return ((Message) parser.parseFrom(ByteString.EMPTY)).getDescriptorForType();
  }

  private void count(CodedInputStream in, Descriptor type, int depth, String what)
      throws WeftException {
    try {
      for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
        FieldDescriptor field = type.findFieldByNumber(WireFormat.getTagFieldNumber(tag));
        boolean lengthDelimited =
            WireFormat.getTagWireType(tag) == WireFormat.WIRETYPE_LENGTH_DELIMITED;
        if (!lengthDelimited) {
          add(field == null || field.isRepeated() ? 1 : 0, what);
          in.skipField(tag);
          continue;
        }
        int length = in.readRawVarint32();
        boolean packed = field != null && field.isPackable();
        add(packed ? length / PACKED_BYTES_PER_PART : 1, what);
        boolean message = field != null && field.getJavaType() == FieldDescriptor.JavaType.MESSAGE;
        if (message && depth < MAX_DEPTH) {
          int outer = in.pushLimit(length);
          count(in, field.getMessageType(), depth + 1, what);
          in.popLimit(outer);
        } else {
          in.skipRawBytes(length);
        }
      }
    } catch (IOException e) {
      throw malformed(what, e);
    }
  }

  private void add(int more, String what) throws WeftException {
    parts += more;
    if (parts > MAX_PARTS) {
      throw new WeftException(
          ErrorCode.MALFORMED,
          "the body of "
              + what
              + " has more than "
              + MAX_PARTS
              + " parts; send what it asks for in several requests");
    }
  }
}
