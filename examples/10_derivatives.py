"""Improve a design by derivatives through contact: move ends of sections and pressures until the tip is in the goal."""

import torch

import vinewright as vw


def main() -> None:
    """Two sections bend a tube over a low wall; four numbers are changed along the derivatives of the tip."""
    wall = vw.Obstacles(boxes=[(0.2, -0.5, 0.4, -0.07)])
    room = vw.Environment(
        "low wall", bounds=(0, -0.5, 0.9, 0.5), start=(0.1, 0, 0), goal=(0.54, -0.135, 0.02), obstacles=wall
    )
    tube, length = vw.load_tube("prototype"), 0.5
    cells = torch.tensor([[0.041, 0.041]], dtype=torch.float64)
    goal = torch.tensor(room.goal[:2])

    def tip(numbers: torch.Tensor) -> torch.Tensor:
        """Where the vine ends [m], for the ends of its sections [m] and their pressures [10 kPa], negative to the right."""
        ends, pressures = 1.0 * numbers[None, :2], 1e4 * numbers[None, 2:]
        return vw.torch.tips(room, tube, ends, pressures, cells, length)[0, :2]

    numbers = torch.tensor([0.30, 0.47, -1.8, -0.7], dtype=torch.float64)
    scale = torch.tensor([0.01, 0.01, 0.2, 0.2], dtype=torch.float64)  # what is as large a change of each
    for _ in range(5):
        now = tip(numbers).detach()
        ends, pressures = numbers[:2].tolist(), (10 * numbers[2:]).tolist()
        print(
            f"{1e3 * (goal - now).norm():6.1f} mm from the middle of the goal: sections end at {ends[0]:.3f} and {ends[1]:.3f} m, "
            f"{pressures[0]:.1f} and {pressures[1]:.1f} kPa"
        )
        if (goal - now).norm() < 0.5 * room.goal[2]:
            break
        # Of all changes that bring the tip to the goal, to first order, take the smallest; and not too much of it.
        slopes = torch.autograd.functional.jacobian(tip, numbers) * scale
        change = torch.linalg.lstsq(slopes, (goal - now)[:, None], driver="gelsd").solution[:, 0]
        numbers = numbers + scale * change * min(1.0, 2.0 / float(change.abs().max()))


if __name__ == "__main__":
    main()
