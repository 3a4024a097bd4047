package org.weft.hadoop.shell;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;

/** Reads which fields and methods a class file names: its constant pool (JVMS 4.4). */
final class ClassReferences {
  private static final int UTF8 = 1;
  private static final int LONG = 5;
  private static final int DOUBLE = 6;
  private static final int CLASS = 7;
  private static final int STRING = 8;
  private static final int FIELD = 9;
  private static final int METHOD = 10;
  private static final int INTERFACE_METHOD = 11;
  private static final int NAME_AND_TYPE = 12;
  private static final int METHOD_HANDLE = 15;
  private static final int METHOD_TYPE = 16;
  private static final int MODULE = 19;
  private static final int PACKAGE = 20;

  /**
   * A field or method as a class names it.
   *
   * @param owner binary name of the class it is looked up in, with dots; arrays as {@code [...}
   * @param descriptor types, as in class files
   */
  record Member(boolean field, String owner, String name, String descriptor) {}

  private record Entry(int tag, int first, int second, String text) {}

  private ClassReferences() {}

  /** All fields and methods that the class names. */
  static List<Member> of(InputStream classFile) throws IOException {
    DataInputStream in = new DataInputStream(classFile);
    in.readInt();
    in.readInt();
    Entry[] pool = new Entry[in.readUnsignedShort()];
    for (int i = 1; i < pool.length; i++) {
      pool[i] = entry(in);
      if (pool[i].tag() == LONG || pool[i].tag() == DOUBLE) {
        i++;
      }
    }
    List<Member> members = new ArrayList<>();
    for (Entry entry : pool) {
      if (entry != null && entry.tag() >= FIELD && entry.tag() <= INTERFACE_METHOD) {
        Entry type = pool[entry.second()];
        members.add(
            new Member(
                entry.tag() == FIELD,
                pool[pool[entry.first()].first()].text().replace('/', '.'),
                pool[type.first()].text(),
                pool[type.second()].text()));
      }
    }
    return members;
  }

  private static Entry entry(DataInputStream in) throws IOException {
    int tag = in.readUnsignedByte();
    return switch (tag) {
      case UTF8 -> new Entry(tag, 0, 0, in.readUTF());
      case LONG, DOUBLE -> {
        in.readLong();
        yield new Entry(tag, 0, 0, null);
      }
      case CLASS, STRING, METHOD_TYPE, MODULE, PACKAGE ->
          new Entry(tag, in.readUnsignedShort(), 0, null);
      case METHOD_HANDLE -> new Entry(tag, in.readUnsignedByte(), in.readUnsignedShort(), null);
      default -> new Entry(tag, in.readUnsignedShort(), in.readUnsignedShort(), null);
    };
  }
}
