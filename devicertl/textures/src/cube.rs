//! Cubes: from a direction to a face, and around its edges (CUDA C++ Programming Guide, "Cubemap Textures").

/// The face in a direction, and where on it, from -1 to 1.
pub fn face([x, y, z]: [f32; 3]) -> (u32, f32, f32) {
    let [across, up, along] = [x.abs(), y.abs(), z.abs()];
    if across >= up && across >= along {
        return match x >= 0.0 {
            true => (0, -z / across, -y / across),
            false => (1, z / across, -y / across),
        };
    }
    if up >= along {
        return match y >= 0.0 {
            true => (2, x / up, z / up),
            false => (3, x / up, -z / up),
        };
    }
    match z >= 0.0 {
        true => (4, x / along, -y / along),
        false => (5, -x / along, -y / along),
    }
}

/// The direction of a place on a face: what [`face`] reverses. The place may be beyond the face.
fn direction(face: u32, s: f32, t: f32) -> [f32; 3] {
    match face {
        0 => [1.0, -t, -s],
        1 => [-1.0, -t, s],
        2 => [s, 1.0, t],
        3 => [s, -1.0, -t],
        4 => [s, -t, 1.0],
        _ => [-s, -t, -1.0],
    }
}

/// The texel that a neighbour beyond an edge is on the next face: the face, column, row.
pub fn beyond(own: u32, [i, j]: [i32; 2], size: u32) -> (u32, u32, u32) {
    let size_f = size as f32;
    let centre = |at: i32| (2 * at + 1) as f32 / size_f - 1.0;
    let (face, s, t) = face(direction(own, centre(i), centre(j)));
    let texel = |s: f32| (((s + 1.0) / 2.0 * size_f) as u32).min(size - 1);
    (face, texel(s), texel(t))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faces_and_directions_agree() {
        for own in 0..6 {
            let (found, s, t) = face(direction(own, 0.25, -0.5));
            assert_eq!((found, s, t), (own, 0.25, -0.5));
        }
    }

    #[test]
    fn edges_lead_to_the_next_face() {
        // To the right of +x comes -z, whose left edge is there.
        assert_eq!(beyond(0, [4, 1], 4), (5, 0, 1));
        assert_eq!(beyond(0, [-1, 2], 4), (4, 3, 2));
        assert_eq!(beyond(2, [1, -1], 4), (5, 2, 0));
    }
}
