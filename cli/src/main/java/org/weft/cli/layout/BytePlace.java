package org.weft.cli.layout;

import java.util.List;
import java.util.stream.IntStream;
import org.weft.protocol.layout.Layout;

/**
 * Where one byte of a file lies.
 *
 * @param stripe of the file
 * @param group parity group
 * @param stripeInGroup which stripe of its group that is
 * @param unit i of the data unit d_i
 * @param components index in the file's map of the component that holds it; in a small file of each
 *     that has a copy
 * @param componentOffsetBytes where in those components
 * @param parityComponents indexes of the stripe's parity; none in a small file
 */
record BytePlace(
    long stripe,
    int group,
    long stripeInGroup,
    int unit,
    List<Integer> components,
    long componentOffsetBytes,
    List<Integer> parityComponents) {

  static BytePlace of(Layout layout, long fileBytes, long offsetBytes) {
    if (layout.isSmall(fileBytes)) {
      List<Integer> copies = IntStream.rangeClosed(0, layout.parityUnits()).boxed().toList();
      return new BytePlace(0, 0, 0, 0, copies, offsetBytes, List.of());
    }
    long stripe = layout.stripeOf(offsetBytes);
    int unit = layout.unitOf(offsetBytes);
    return new BytePlace(
        stripe,
        layout.groupOf(stripe),
        layout.stripeInGroup(stripe),
        unit,
        List.of(layout.dataComponent(stripe, unit)),
        layout.componentOffsetBytes(stripe) + offsetBytes % layout.unitBytes(),
        IntStream.range(0, layout.parityUnits())
            .mapToObj(parity -> layout.parityComponent(stripe, parity))
            .toList());
  }
}
