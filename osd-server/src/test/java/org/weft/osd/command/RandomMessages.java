package org.weft.osd.command;

import com.google.protobuf.ByteString;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.DynamicMessage;
import com.google.protobuf.Message;
import java.util.Arrays;
import java.util.SplittableRandom;

/** Messages of any type with fields that are absent, small, huge, negative or nonsense. */
final class RandomMessages {
  private static final long[] EDGES = {
    0,
    1,
    2,
    7,
    4_095,
    4_096,
    4_097,
    65_536,
    8 << 20,
    1L << 31,
    1L << 40,
    1L << 56,
    1L << 62,
    Long.MAX_VALUE,
    Long.MIN_VALUE,
    -1,
    -4_096
  };
  private static final int MAX_BYTES = 5_000;
  private static final int MAX_REPEATED = 6;
  private static final int DEEPEST = 4;

  private final SplittableRandom random;
  private final ByteString capability;
  private final long[] objects;

  /**
   * @param capability goes into fields of that name, most of the time
   * @param objects go into fields named object_id, most of the time
   */
  RandomMessages(SplittableRandom random, ByteString capability, long... objects) {
    this.random = random;
    this.capability = capability;
    this.objects = objects;
  }

  Message draw(Descriptor type) {
    return draw(type, 0);
  }

  private Message draw(Descriptor type, int depth) {
    DynamicMessage.Builder message = DynamicMessage.newBuilder(type);
    for (FieldDescriptor field : type.getFields()) {
      if (field.isRepeated()) {
        int count = random.nextInt(MAX_REPEATED);
        for (int i = 0; i < count; i++) {
          message.addRepeatedField(field, value(field, depth));
        }
      } else if (field.getName().equals("capability") || random.nextInt(4) > 0) {
        if (field.getJavaType() != FieldDescriptor.JavaType.MESSAGE || depth < DEEPEST) {
          message.setField(field, value(field, depth));
        }
      }
    }
    return message.build();
  }

  private Object value(FieldDescriptor field, int depth) {
    return switch (field.getJavaType()) {
      case LONG -> number(field);
      case INT -> (int) number(field);
      case BOOLEAN -> random.nextBoolean();
      case STRING -> "text " + random.nextInt(100);
      case BYTE_STRING -> bytes(field);
      case MESSAGE -> draw(field.getMessageType(), depth + 1);
      case ENUM -> field.getEnumType().getValues().get(0);
      case FLOAT, DOUBLE -> throw new AssertionError("no command has such a field");
    };
  }

  private long number(FieldDescriptor field) {
    if (field.getName().equals("object_id") && random.nextInt(8) > 0) {
      return objects[random.nextInt(objects.length)];
    }
    return switch (random.nextInt(4)) {
      case 0 -> EDGES[random.nextInt(EDGES.length)];
      case 1 -> random.nextLong();
      default -> random.nextInt(20);
    };
  }

  private ByteString bytes(FieldDescriptor field) {
    if (field.getName().equals("capability") && random.nextInt(10) > 0) {
      return capability;
    }
    byte[] bytes = new byte[random.nextInt(MAX_BYTES)];
    random.nextBytes(bytes);
    return ByteString.copyFrom(bytes);
  }

  /** The bytes with some of them flipped, cut off, repeated or put in between. */
  byte[] mutate(byte[] bytes) {
    byte[] mutated = bytes.clone();
    int changes = 1 + random.nextInt(4);
    for (int i = 0; i < changes && mutated.length > 0; i++) {
      int at = random.nextInt(mutated.length);
      switch (random.nextInt(4)) {
        case 0 -> mutated[at] ^= (byte) (1 << random.nextInt(8));
        case 1 -> mutated[at] = (byte) random.nextInt(256);
        case 2 -> mutated = Arrays.copyOf(mutated, at);
        default -> mutated = doubled(mutated, at);
      }
    }
    return mutated;
  }

  private static byte[] doubled(byte[] bytes, int at) {
    byte[] longer = Arrays.copyOf(bytes, bytes.length + bytes.length - at);
    System.arraycopy(bytes, at, longer, bytes.length, bytes.length - at);
    return longer;
  }
}
