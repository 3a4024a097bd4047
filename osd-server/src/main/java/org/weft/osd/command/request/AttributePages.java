package org.weft.osd.command.request;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnsafeByteOperations;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import org.weft.osd.store.value.AttributeValue;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.wire.AttributePage;

/** Attribute pages between the wire and the store (P 6.3). */
public final class AttributePages {
  private AttributePages() {}

  /**
   * The value of a page.
   *
   * @throws WeftException INVALID_ARGUMENT if it is past a limit
   */
  public static AttributeValue checked(AttributePage page) throws WeftException {
    CommandLimits.atMost("attribute page number", page.getPage(), CommandLimits.MAX_PAGE_NUMBER);
    CommandLimits.atMost(
        "length of an attribute page", page.getValue().size(), AttributeValue.MAX_BYTES);
    return new AttributeValue(page.getPage(), page.getLsn(), page.getValue().toByteArray());
  }

  public static List<AttributeValue> checked(List<AttributePage> pages) throws WeftException {
    CommandLimits.atMost(
        "count of attribute pages", pages.size(), CommandLimits.MAX_ATTRIBUTE_PAGES);
    List<AttributeValue> values = new ArrayList<>(pages.size());
    TreeSet<Integer> numbers = new TreeSet<>();
    for (AttributePage page : pages) {
      if (!numbers.add(page.getPage())) {
        throw CommandLimits.invalid("attribute page %d comes twice", page.getPage());
      }
      values.add(checked(page));
    }
    return values;
  }

  /** The page of a value. */
  public static AttributePage message(AttributeValue value) {
    ByteString bytes = UnsafeByteOperations.unsafeWrap(value.value());
    return AttributePage.newBuilder()
        .setPage(value.page())
        .setLsn(value.lsn())
        .setValue(bytes)
        .build();
  }
}
